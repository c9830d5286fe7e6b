import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { SessionStatus } from '@svc/contracts';
import { FairPlaces } from '@svc/service';
import { LeaseLostError } from '@svc/ownership';
import type { Credentials, PlatformListener, PlatformSocket } from '../platform/port.js';
import { FakeCredentials, type FakeSocket, fakeSocket } from '../../test/fake-platform.js';
import type { Restrictions } from '../sessions/restrictions.js';
import type { StatusChange } from '../sessions/session-rows.js';
import type { RunnerTools } from './runner-tools.js';
import { SessionRunner } from './session-runner.js';

const LOGIN_MS = 30_000;
const PHONE = '15550100001';

let sockets: FakeSocket[];
/** Writes and acts of the runner, in order. */
let calls: string[];
let stored: Buffer | undefined;
let viewedUntil: number;
/** Obstacle of each step before it is done; by default none. */
let meets: { load: () => Promise<void>; write: () => Promise<void>; open: () => Promise<void> };
let events: EventEmitter<{ changed: [Restrictions] }>;
let runner: SessionRunner;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  [sockets, calls, stored, events] = [[], [], Buffer.from('linked'), new EventEmitter()];
  viewedUntil = Date.now() + 180_000;
  const nothing = async (): Promise<void> => undefined;
  meets = { load: nothing, write: nothing, open: nothing };
  make('DISCONNECTED');
});
afterEach(() => {
  runner.kill();
  jest.useRealTimers();
});

function make(status: SessionStatus): void {
  runner = new SessionRunner({ id: 'session', tenantId: 'tenant', status, phone: null }, tools());
}

function tools(): RunnerTools {
  const note = (call: string) => async (): Promise<void> => void calls.push(call);
  return {
    platform: {
      newCredentials: () => new FakeCredentials('fresh'),
      credentialsFrom: (bytes) => new FakeCredentials(bytes.toString()),
    },
    store: {
      loadCredentials: () => meets.load().then(() => stored),
      saveCredentials: note('save'),
      forget: note('forget'),
      close: note('close store'),
    },
    sender: {
      listener: { onAck: () => undefined, onReceipt: async () => undefined },
      attach: () => void calls.push('attach'),
      detach: () => undefined,
      drain: note('drain'),
      inHand: async () => ['job'],
    },
    newChats: { events, apply: ({ reason }) => void calls.push(`apply ${reason}`), ask: async () => [] },
    logins: new FairPlaces('logins', 1),
    loginTimeoutMs: LOGIN_MS,
    alwaysOnline: false,
    open,
    failMessages: async ({ code }) => void calls.push(`fail ${code}`),
    writeStatus: async ({ status, reason }: StatusChange) => {
      await meets.write();
      calls.push(`${status} ${reason}${sockets.at(-1)?.closed === false ? ' (open)' : ''}`);
    },
    writeRestrictions: note('write restrictions'),
    awaitVersion: () => undefined,
    viewedUntil: async () => viewedUntil,
    onLeaseLost: () => void calls.push('lease lost'),
    onEnded: () => void calls.push('ended'),
  };
}

async function open(credentials: Credentials, platform: PlatformListener): Promise<PlatformSocket> {
  await meets.open();
  const [one, socket] = fakeSocket(credentials, platform);
  sockets.push(one);
  return socket;
}

const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const last = (): FakeSocket => sockets.at(-1) as FakeSocket;
/** A step that is blocked until it may go on. */
function blocked(): { step: () => Promise<void>; goOn: () => Promise<void> } {
  let resolve: () => void = () => undefined;
  const done = new Promise<void>((go) => (resolve = go));
  return { step: () => done, goOn: async () => (resolve(), pass()) };
}
async function connected(): Promise<void> {
  await runner.start();
  await pass();
  last().platform.onOpen(PHONE);
  await pass();
  calls = [];
}

test('a socket that opens after its login was given up is closed, and the next one is in its place', async () => {
  const late = blocked();
  meets.open = late.step;
  await runner.start();
  await pass(LOGIN_MS);
  meets.open = async () => undefined;
  await late.goOn();
  expect(sockets.map(({ closed }) => closed)).toEqual([true]);
  await pass(500);
  expect(sockets.map(({ closed }) => closed)).toEqual([true, false]);
});

test('a socket that opens after the session was stopped is closed', async () => {
  const late = blocked();
  meets.open = late.step;
  await runner.start();
  await pass();
  const stopped = runner.stop('USER_REQUEST');
  await late.goOn();
  await stopped;
  expect(sockets.map(({ closed }) => closed)).toEqual([true]);
  expect(calls.at(-2)).toBe('DISCONNECTED USER_REQUEST');
});

test('a session that is stopped while it begins to connect opens no socket', async () => {
  const late = blocked();
  meets.write = late.step;
  const started = runner.start();
  const stopped = runner.stop('USER_REQUEST');
  await pass();
  await late.goOn();
  await Promise.all([started, stopped]);
  await pass(600_000);
  expect(sockets).toEqual([]);
  expect(calls).toContain('DISCONNECTED USER_REQUEST');
});

test('a session that has ended does not connect for another proxy', async () => {
  await connected();
  await runner.stop('USER_REQUEST');
  runner.reroute();
  await pass(600_000);
  expect(sockets).toHaveLength(1);
  expect(calls.filter((call) => call.includes('PROXY_CHANGED'))).toEqual([]);
});

test('a stop closes the socket before it is written down, a logout after', async () => {
  await connected();
  await runner.stop('USER_REQUEST');
  expect(calls).toEqual(['drain', 'DISCONNECTED USER_REQUEST', 'close store']);
  make('DISCONNECTED');
  await connected();
  await runner.logout('LOGOUT_REQUESTED', 'SESSION_LOGGED_OUT');
  expect(calls).toContain('LOGGED_OUT LOGOUT_REQUESTED (open)');
  expect(last()).toMatchObject({ unlinked: true, closed: true });
});

test('a runner whose lease is lost does nothing more when it is stopped', async () => {
  await connected();
  runner.kill();
  await runner.stop('USER_REQUEST');
  expect(calls).toEqual([]);
});

test('a start that cannot be written fails', async () => {
  meets.write = () => Promise.reject(new LeaseLostError(1));
  await expect(runner.start()).rejects.toThrow('The session step could not be written.');
  expect(calls).toEqual(['lease lost']);
});

test('credentials that are held up by the database are not given up', async () => {
  jest.useRealTimers();
  let tries = 0;
  meets.load = async () => {
    if ((tries += 1) === 1) throw new Error('no database');
  };
  await runner.start();
  expect([tries, calls]).toEqual([2, ['CONNECTING CONNECT_REQUESTED']]);
});

test('restrictions are taken from the socket in use alone, and written when they change', async () => {
  await connected();
  const [former] = sockets;
  const restriction = { reason: 'ACCOUNT_RESTRICTED', isActive: true } as const;
  former?.platform.onRestriction(restriction);
  runner.reroute();
  await pass();
  former?.platform.onRestriction(restriction);
  expect(calls.filter((call) => call.startsWith('apply'))).toEqual(['apply ACCOUNT_RESTRICTED']);
  events.emit('changed', {} as Restrictions);
  await runner.idle();
  expect(calls).toContain('write restrictions');
});

test('a QR code that nobody views any more is not shown', async () => {
  stored = undefined;
  await runner.start();
  await pass();
  viewedUntil = Date.now();
  last().platform.onQr('QR 1', new Date(Date.now() + 30_000));
  await pass();
  expect(calls).toEqual(['CONNECTING CONNECT_REQUESTED', 'DISCONNECTED QR_EXPIRED', 'close store', 'ended']);
  expect(last().closed).toBe(true);
});

test('a session that is scanned is not given up, however long nobody views its QR code', async () => {
  stored = undefined;
  await runner.start();
  await pass();
  last().platform.onQr('QR 1', new Date(Date.now() + 30_000));
  await pass();
  last().platform.onOpen(PHONE);
  await pass(600_000);
  expect(calls.at(-1)).toBe('attach');
});

test('a code to type that is asked for before the first QR code needs no other socket', async () => {
  stored = undefined;
  await runner.start();
  await pass();
  const code = runner.pairingCode(PHONE);
  await pass();
  last().platform.onQr('QR 1', new Date(Date.now() + 30_000));
  await pass();
  await expect(code).resolves.toMatchObject({ code: 'ABCD1234' });
  expect(sockets).toHaveLength(1);
});

test('what is in hand is what its sender says', async () => {
  expect(await runner.inHand()).toEqual(['job']);
});
