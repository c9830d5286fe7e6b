import { describe, expect, test } from '@jest/globals';
import { PARTITION_COUNT } from '@svc/contracts';
import { diagnosisText } from './doctor.js';
import { findingsOfDurables } from './durables.js';
import { type Answer, findingsOfProcesses } from './findings.js';

const DATABASE = {
  serverStartedAt: '2030-01-01T00:00:00Z',
  connections: 97,
  pool: 10,
  clockAheadMs: 0,
  loginMayMore: false,
};

/** Makes the answer of a process in which nothing is wrong, but for these fields. */
const anAnswer = (fields: Partial<Answer> = {}): Answer => ({
  ...{ app: 'limits', process: 'host-7', version: '1.0.0', node: '24.0.0', production: true },
  startedAt: '2030-01-02T00:00:00Z',
  ...{ refusals: [], keysBeside: [], streams: [], database: DATABASE, ...fields },
});

/** Lists what is found about these processes, wrong ones marked. */
const found = (answers: Answer[], apps: string[] = []): string[] =>
  findingsOfProcesses(apps, answers).map(({ what, wrong }) => `${wrong ? 'wrong: ' : ''}${what}`);

describe('of the processes the doctor says', () => {
  test('nothing where all is well', () => {
    expect(found([anAnswer(), anAnswer({ app: 'billing' })], ['limits', 'billing'])).toEqual([]);
  });

  test('who does not answer', () => {
    expect(found([anAnswer()], ['limits', 'billing'])).toEqual(['wrong: billing does not answer.']);
  });

  test('that several versions of one service run, which may be a roll-out', () => {
    const answers = [
      anAnswer(),
      anAnswer({ app: 'billing', version: '1.1.0' }),
      anAnswer({ version: '1.1.0' }),
    ];
    expect(found(answers)).toEqual(['Several versions of limits run: 1.0.0, 1.1.0.']);
  });

  test('what several services would be refused for, once', () => {
    const refusals = ['NATS_URL must be tls://'];
    const findings = findingsOfProcesses(
      [],
      [anAnswer({ refusals }), anAnswer({ app: 'billing', refusals }), anAnswer({ refusals })],
    );
    expect(findings).toEqual([
      expect.objectContaining({
        what: 'NATS_URL must be tls://.',
        remedy: 'Set NATS_URL of limits, billing.',
      }),
    ]);
  });

  test('that the pools of all open more connections than their database has', () => {
    const database = { ...DATABASE, pool: 50 };
    const elsewhere = { ...database, serverStartedAt: '2031-01-01T00:00:00Z' };
    const two = [anAnswer({ database }), anAnswer({ app: 'billing', database: elsewhere })];
    expect(found(two)).toEqual([]);
    expect(found([...two, anAnswer({ app: 'api-gateway', database })])).toEqual([
      'wrong: 2 processes open up to 100 connections; their database has 97 for them.',
    ]);
  });

  test.each([
    [1_000, []],
    [-1_000, []],
    [1_100, ['wrong: The clock of limits (host-7) is 1.1 s ahead of the clock of the database.']],
    [-60_000, ['wrong: The clock of limits (host-7) is 60.0 s behind the clock of the database.']],
  ])('of a clock that is %d ms ahead: %j', (clockAheadMs, sentences) => {
    expect(found([anAnswer({ database: { ...DATABASE, clockAheadMs } })])).toEqual(sentences);
  });

  test('whose database does not answer', () => {
    expect(found([anAnswer({ database: null })])).toEqual(['wrong: The database does not answer limits.']);
  });

  test('whose login to the database is not its own', () => {
    const database = { ...DATABASE, loginMayMore: true };
    expect(found([anAnswer({ database }), anAnswer({ app: 'billing' })])).toEqual([
      'wrong: The login to the database may do more than use one schema: limits.',
    ]);
  });

  test('which keys stand beside others, and since when, which may be a change of keys', () => {
    expect(found([anAnswer({ keysBeside: ['CONTACT_HASH_KEY_PREVIOUS'] })])).toEqual([
      'limits (host-7) has had CONTACT_HASH_KEY_PREVIOUS since 2030-01-02T00:00:00Z or longer.',
    ]);
  });
});

describe('of the durables the doctor says', () => {
  const durable = (name: string, isRead = true) => ({ name, pending: 3, isRead });
  const partitions = Array.from({ length: PARTITION_COUNT }, (_, n) => durable(`session-worker-${n}`));
  const foundIn = (durables: ReturnType<typeof durable>[], apps = ['session-worker']): string[] =>
    findingsOfDurables(new Set(apps), new Map([['COMMANDS', durables]])).map(({ what }) => what);

  test('nothing where each is read', () => {
    expect(foundIn(partitions)).toEqual([]);
  });

  test('that nobody reads one, whether it is there or not', () => {
    const sentence = 'Nobody reads session-worker-0 of the stream COMMANDS.';
    expect(foundIn(partitions.slice(1))).toEqual([sentence]);
    expect(foundIn([durable('session-worker-0', false), ...partitions.slice(1)])).toEqual([sentence]);
    expect(foundIn(partitions.slice(2))).toEqual([
      'Nobody reads 2 of 64 durables of session-worker of the stream COMMANDS.',
    ]);
  });

  test('nothing of those whose service does not answer at all', () => {
    expect(foundIn([], [])).toEqual([]);
  });

  test('which belong to no service', () => {
    expect(foundIn([...partitions, durable('old-service')])).toEqual([
      'The durable old-service of the stream COMMANDS belongs to no service; 3 messages wait there.',
    ]);
  });
});

test('people read what is wrong first, and that all is well where nothing is', () => {
  const { app, process, version, node, startedAt } = anAnswer();
  const processes = [{ app, process, version, node, startedAt }];
  const finding = (what: string, wrong: boolean) => ({ what, why: 'W.', remedy: 'R.', wrong });
  const looked = /Looked at 1 process on Node 24\.0\.0 \(limits 1\.0\.0\): /;
  expect(diagnosisText({ findings: [], processes })).toMatch(new RegExp(`^All well\\. ${looked.source}`));
  const text = diagnosisText({ findings: [finding('A note.', false), finding('A fault.', true)], processes });
  expect(text).toMatch(/^✗ A fault\.\n {4}Why: W\.\n {4}Do: R\.\n\n· A note\.\n/);
  expect(text).toMatch(looked);
  expect(text).not.toContain('All well');
});
