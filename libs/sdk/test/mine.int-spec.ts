import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { NODE } from './node-under-test.js';
import { answer, ScriptedServer } from './scripted-server.js';

const run = promisify(execFile);
const SVC = new URL('../dist/cli/svc.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'svc-mine-'));
let files = 0;

let gateway: ScriptedServer;
beforeEach(async () => {
  gateway = await ScriptedServer.start();
});
afterEach(() => gateway.stop());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const svc = (...args: string[]) => {
  const env = { PATH: process.env['PATH'], SVC_API_KEY: 'the-key', SVC_BASE_URL: gateway.origin };
  return run(NODE, [SVC, 'evals', ...args, '--session', 'a-session'], {
    env: { ...env, NODE_NO_WARNINGS: '1' },
  }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
};
const aFile = (): string => join(folder, `mined-${(files += 1)}.json`);
const page = (items: object[]) => answer(200, { items, nextCursor: null });

/** Makes messages of texts, oldest first; those of the business begin with >. */
function messages(texts: string[], fields: object = {}): object[] {
  return texts
    .map((text, index) => ({
      ...{
        direction: text.startsWith('>') ? 'OUTBOUND' : 'INBOUND',
        status: 'SENT',
        edited: null,
        deletedAt: null,
      },
      ...{ body: { type: 'text', text: text.replace(/^>/, '') }, origin: { pushName: 'Ada Lovelace' } },
      ...{ createdAt: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(), ...fields },
    }))
    .reverse();
}

async function mined(texts: string[]): Promise<{ contact: string; expect: { judge: string[] } }[]> {
  gateway.steps = [page([{ id: 'c-1', isGroup: false }]), page(messages(texts))];
  const file = aFile();
  const { code } = await svc('mine', file);
  if (code !== 0) return [];
  const { conversations } = JSON.parse(readFileSync(file, 'utf8')) as { conversations: { steps: [] }[] };
  return conversations[0]?.steps ?? [];
}

describe('svc evals mine', () => {
  test('makes a step of what was asked and answered together, and leaves out what nobody answered', async () => {
    expect(
      await mined(['>News!', 'Hello', 'When do you open?', '>At seven.', '>Each day.', 'And bread?']),
    ).toEqual([
      {
        contact: 'Hello\nWhen do you open?',
        expect: { judge: ['It says in substance: At seven.\nEach day.'] },
      },
    ]);
  });

  test.each([
    ['Call +49 (151) 123-45678!', 'Call NUMBER!'],
    ['٠١٥١٢٣٤٥٦٧ please', 'NUMBER please'],
    ['Write to ada.l@example.co.uk.', 'Write to EMAIL.'],
    ['See https://example.com/ada?id=7 there', 'See ADDRESS there'],
    ['To DE89 3704 0044 0532 0130 00 then', 'To ACCOUNT then'],
    ['I am ada lovelace, Adams not', 'I am NAME NAME, Adams not'],
    ['2 loaves at 10:30 for 1500', '2 loaves at 10:30 for 1500'],
  ])('replaces what names a person: %s', async (text, left) => {
    const [step] = await mined([text, `>${text}`]);
    expect(step).toEqual({ contact: left, expect: { judge: [`It says in substance: ${left}`] } });
  });

  test('reads what is said of late, as it stands now, and no group', async () => {
    const [old, late] = [
      messages(['Old?', '>Old.']),
      messages(['Late?', '>Late.'], { createdAt: '2026-02-01T00:00:00.000Z' }),
    ];
    const edited = { ...messages(['A?'])[0], createdAt: '2026-02-01T00:00:00.000Z' };
    const gone = [
      { ...edited, deletedAt: '2026-02-01T00:00:00.000Z' },
      { ...edited, body: { type: 'image' } },
    ];
    const now = { ...edited, edited: { body: { type: 'text', text: 'B?' } } };
    gateway.steps = [
      page([
        { id: 'g-1', isGroup: true },
        { id: 'c-1', isGroup: false },
      ]),
      page([...late, now, ...gone, ...old]),
    ];
    const file = aFile();
    expect(await svc('mine', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 written to'),
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      reviewed: false,
      conversations: [
        {
          name: 'Conversation 1',
          steps: [{ contact: 'B?\nLate?', expect: { judge: ['It says in substance: Late.'] } }],
        },
      ],
    });
    expect(gateway.asked.map(({ url }) => url.split('?')[0])).toEqual([
      '/v1/conversations',
      '/v1/conversations/c-1/messages',
    ]);
  });

  test('is for its owner alone, writes over nothing, and does not run before somebody has looked through it', async () => {
    gateway.steps = [page([{ id: 'c-1', isGroup: false }]), page(messages(['When?', '>At seven.']))];
    const file = aFile();
    await svc('mine', file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    gateway.steps = [page([{ id: 'c-1', isGroup: false }]), page(messages(['When?', '>At seven.']))];
    expect(await svc('mine', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be written'),
    });
    expect(await svc('run', file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('set reviewed to true'),
    });
  });

  test('says where there is nothing to make', async () => {
    gateway.steps = [page([])];
    const file = aFile();
    expect(await svc('mine', file)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('There is no conversation'),
    });
    expect(() => statSync(file)).toThrow();
  });
});
