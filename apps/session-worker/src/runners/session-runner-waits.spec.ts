import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Envelope, DisconnectReason } from '@svc/contracts';
import { FairPlaces } from '@svc/service';
import { FakeCredentials, type FakeSocket, fakeSocket } from '../../test/fake-platform.js';
import type { Restrictions } from '../sessions/restrictions.js';
import type { StatusChange } from '../sessions/session-rows.js';
import type { Wait } from './waits/next-login.js';
import type { RunnerTools } from './runner-tools.js';
import { SessionRunner } from './session-runner.js';

const HOUR = 3_600_000;

let sockets: FakeSocket[];
/** Status and reason as they are written, with the events. */
let seen: string[];
let until: (Date | undefined)[];
/** Calls that the session waits for. */
let wakes: (() => void)[];
let runner: SessionRunner;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  [sockets, seen, until, wakes] = [[], [], [], []];
});
afterEach(() => {
  runner.kill();
  jest.useRealTimers();
});

const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const nothing = async (): Promise<void> => undefined;

function tools(): RunnerTools {
  return {
    alwaysOnline: false,
    platform: {
      newCredentials: () => new FakeCredentials('fresh'),
      credentialsFrom: () => new FakeCredentials('linked'),
    },
    store: {
      loadCredentials: async () => Buffer.from('linked'),
      saveCredentials: nothing,
      forget: nothing,
      close: nothing,
    },
    sender: {
      listener: { onAck: () => undefined, onReceipt: nothing },
      ...{ attach: () => undefined, detach: () => undefined, drain: nothing, inHand: async () => [] },
    },
    newChats: {
      events: new EventEmitter<{ changed: [Restrictions] }>(),
      ...{ apply: () => undefined, ask: async () => [] },
    },
    logins: new FairPlaces('logins', 1),
    loginTimeoutMs: 30_000,
    open: async (credentials, listener) => {
      const [one, socket] = fakeSocket(credentials, listener);
      sockets.push(one);
      return socket;
    },
    failMessages: nothing,
    writeStatus: async (change: StatusChange, events: Envelope[]) => {
      seen.push([change.status, change.reason, ...events.map(({ type }) => type)].join(' '));
      until.push(change.until);
    },
    writeRestrictions: nothing,
    awaitVersion: (wake) => {
      wakes.push(wake);
      return () => (wakes = wakes.filter((one) => one !== wake));
    },
    viewedUntil: async () => Date.now() + HOUR,
    onLeaseLost: () => undefined,
    onEnded: () => undefined,
  };
}

/** Starts a runner of a session that was connected, or that waits for this. */
async function start(wait?: Wait): Promise<void> {
  const session = { id: 'session', tenantId: 'tenant', status: 'RECONNECTING', phone: null, wait } as const;
  runner = new SessionRunner(session, tools());
  await runner.start();
  await pass();
}

/** Has the last socket end, as the platform refuses it. */
async function refused(reason: DisconnectReason, end?: Date): Promise<void> {
  const close = { next: 'later', reason, isMalfunction: false, ...(end && { until: end }) } as const;
  sockets.at(-1)?.platform.onClose(close);
  await pass();
}

async function connected(): Promise<void> {
  await start();
  sockets.at(-1)?.platform.onOpen('15550100001');
  await pass();
  seen = [];
}

test('a session whose version is refused waits for another one, and its tenant hears of it once', async () => {
  await connected();
  await refused('CONNECTION_LOST');
  await pass(250);
  await refused('CLIENT_OUTDATED');
  await pass(100 * HOUR);
  expect(sockets).toHaveLength(2);
  for (const wake of wakes) wake();
  await pass();
  expect(sockets).toHaveLength(3);
  await refused('CLIENT_OUTDATED');
  expect(seen.filter((line) => line.includes('session.'))).toEqual([
    'RECONNECTING CONNECTION_LOST session.disconnected',
    'RECONNECTING CLIENT_OUTDATED session.disconnected',
  ]);
});

test('a session that is banned for a time writes down until when, and comes back then', async () => {
  await connected();
  const end = new Date(Date.now() + HOUR);
  await refused('TEMPORARILY_BANNED', end);
  expect([seen.at(-1), until.at(-1)]).toEqual(['RECONNECTING TEMPORARILY_BANNED session.disconnected', end]);
  await pass(HOUR - 1);
  expect(sockets).toHaveLength(1);
  await pass(1);
  expect(sockets).toHaveLength(2);
});

test.each<Wait>([
  { reason: 'CLIENT_OUTDATED' },
  { reason: 'TEMPORARILY_BANNED', until: new Date(Date.now() + 1_000 * HOUR) },
])(
  'a session that waits for $reason keeps its status over a handover, and the next owner waits on',
  async (wait) => {
    await start(wait);
    expect([sockets.length, seen]).toEqual([0, []]);
    await runner.stop('MAINTENANCE');
    expect(seen).toEqual([]);
  },
);

test('a session that waits does not come back for another proxy', async () => {
  await start({ reason: 'TEMPORARILY_BANNED', until: new Date(Date.now() + HOUR) });
  runner.reroute();
  await pass();
  expect(sockets).toHaveLength(0);
});

test('a session that waits ends at a wish of its tenant', async () => {
  await start({ reason: 'CLIENT_OUTDATED' });
  await runner.stop('USER_REQUEST');
  expect([seen, wakes]).toEqual([['DISCONNECTED USER_REQUEST'], []]);
});

test('a session that tries a version is connected anew at once, and its tenant hears of no loss', async () => {
  await connected();
  runner.renew();
  await pass();
  expect([sockets.length, sockets[0]?.closed, seen]).toEqual([2, true, ['CONNECTING RESTART_REQUIRED']]);
});
