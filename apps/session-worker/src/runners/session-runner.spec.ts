import { EventEmitter } from 'node:events';
import { setTimeout as realDelay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Envelope, SessionStatus } from '@svc/contracts';
import { FairPlaces } from '@svc/service';
import { LeaseLostError } from '@svc/ownership';
import { UnreadableSecretError } from '../credentials/vault.js';
import type { Credentials, PlatformListener, PlatformSocket, SocketClose } from '../platform/port.js';
import { FakeCredentials, type FakeSocket, fakeSocket } from '../../test/fake-platform.js';
import { ProxyError } from '../platform/proxy.js';
import type { Restrictions } from '../sessions/restrictions.js';
import type { StatusChange } from '../sessions/session-rows.js';
import type { RunnerTools } from './runner-tools.js';
import { SessionRunner } from './session-runner.js';

const LOGIN_MS = 30_000;
const PHONE = '15550100001';

let sockets: FakeSocket[];
/** Status and reason as tenants see them, in order, with the published events. */
let seen: string[];
/** Credentials of the session, or the error of reading them. */
let sessionCredentials: Buffer | Error | undefined;
let viewedUntil: number;
/** Errors of the next writes, in order; without one a write succeeds. */
let writeErrors: Error[];
let openErrors: Error[];
let calls: string[];
let runner: SessionRunner;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['performance'] });
  [sockets, seen, calls, writeErrors, openErrors] = [[], [], [], [], []];
  sessionCredentials = Buffer.from('linked');
  viewedUntil = Date.now() + 180_000;
  make('DISCONNECTED');
});
afterEach(() => {
  runner.kill();
  jest.useRealTimers();
});

function make(status: SessionStatus): void {
  const isMoving = status === 'RECONNECTING';
  runner = new SessionRunner({ id: 'session', tenantId: 'tenant', status, phone: null, isMoving }, tools());
}

function tools(): RunnerTools {
  const note = (call: string) => async (): Promise<void> => void calls.push(call);
  return {
    platform: {
      newCredentials: () => new FakeCredentials('fresh'),
      credentialsFrom: (bytes) => new FakeCredentials(bytes.toString()),
    },
    store: {
      loadCredentials: async () => {
        if (sessionCredentials instanceof Error) throw sessionCredentials;
        return sessionCredentials;
      },
      saveCredentials: async (bytes) => void calls.push(`save ${bytes.toString()}`),
      forget: note('forget'),
      close: note('close store'),
    },
    sender: {
      listener: { onAck: () => undefined, onReceipt: async () => undefined },
      attach: () => void calls.push('attach'),
      detach: () => void calls.push('detach'),
      drain: note('drain'),
      inHand: async () => [],
    },
    newChats: {
      events: new EventEmitter<{ changed: [Restrictions] }>(),
      apply: () => undefined,
      ask: async () => [],
    },
    logins: new FairPlaces('logins', 1),
    loginTimeoutMs: LOGIN_MS,
    alwaysOnline: false,
    open,
    failMessages: async ({ code }) => void calls.push(`fail ${code}`),
    writeStatus,
    writeRestrictions: note('write restrictions'),
    awaitVersion: () => undefined,
    viewedUntil: async () => viewedUntil,
    onLeaseLost: () => void calls.push('lease lost'),
    onEnded: () => void calls.push('ended'),
  };
}

async function writeStatus({ status, reason }: StatusChange, events: Envelope[]): Promise<void> {
  const error = writeErrors.shift();
  if (error) throw error;
  seen.push([status, reason, ...events.map(({ type }) => type)].join(' '));
}

async function open(credentials: Credentials, platform: PlatformListener): Promise<PlatformSocket> {
  const error = openErrors.shift();
  if (error) throw error;
  const [one, socket] = fakeSocket(credentials, platform);
  sockets.push(one);
  return socket;
}

const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const last = (): FakeSocket => sockets.at(-1) as FakeSocket;
const close = async (more: Partial<SocketClose>): Promise<void> => {
  const usual = { next: 'later', reason: 'CONNECTION_LOST', isMalfunction: false } as const;
  last().platform.onClose({ ...usual, ...more } as SocketClose);
  await pass();
};
/** Starts a runner whose session is linked, and lets it log in. */
async function connected(): Promise<void> {
  await runner.start();
  await pass();
  last().platform.onOpen(PHONE);
  await pass();
  seen = [];
  calls = [];
}
/** Starts a runner whose session is not linked, and shows its first QR code. */
async function scanning(): Promise<void> {
  sessionCredentials = undefined;
  await runner.start();
  await pass();
  last().platform.onQr('QR 1', new Date(Date.now() + 30_000));
  await pass();
}

test('connects, and logs in', async () => {
  await runner.start();
  await pass();
  expect(runner.connected).toBeUndefined();
  last().platform.onOpen(PHONE);
  await pass();
  expect(seen).toEqual(['CONNECTING CONNECT_REQUESTED', 'CONNECTED LOGGED_IN session.connected']);
  expect(runner.connected).toBeDefined();
  expect(calls).toContain('attach');
});

test.each([
  ['CONNECTED', ['RECONNECTING WORKER_LOST session.disconnected', 'CONNECTING WORKER_LOST']],
  ['RECONNECTING', ['CONNECTING WORKER_LOST']],
] as const)('says of a session that was %s at its former owner that it moves', async (status, told) => {
  make(status);
  await runner.start();
  expect(seen).toEqual(told);
});

test('shows QR codes to link a number, and is connected once one is scanned', async () => {
  await scanning();
  last().platform.onQr('QR 2', new Date(Date.now() + 30_000));
  await pass();
  expect(seen).toEqual([
    'CONNECTING CONNECT_REQUESTED',
    'AWAITING_SCAN QR_READY session.qr_generated',
    'AWAITING_SCAN QR_READY session.qr_generated',
  ]);
  // The platform wants a new connection after the scan: that belongs to the course of things.
  await close({ next: 'again', reason: 'RESTART_REQUIRED' });
  expect(sockets).toHaveLength(2);
  last().platform.onOpen(PHONE);
  await pass();
  expect(seen.at(-1)).toBe('CONNECTED LOGGED_IN session.connected');
});

test('gives up when nobody views the QR code any more, until somebody asks again', async () => {
  await scanning();
  viewedUntil = Date.now() + 200_000; // the code is viewed once more
  await pass(190_000);
  expect(seen.at(-1)).toContain('AWAITING_SCAN');
  await pass(20_000);
  expect(seen.at(-1)).toBe('DISCONNECTED QR_EXPIRED session.disconnected');
  expect(last().closed).toBe(true);
  expect(calls).toContain('ended');
});

test('opens no socket for a QR code that nobody views', async () => {
  [sessionCredentials, viewedUntil] = [undefined, 0];
  await runner.start();
  await pass();
  expect(sockets).toHaveLength(0);
  expect(seen).toEqual(['DISCONNECTED QR_EXPIRED session.disconnected']);
});

test('starts afresh after half a link', async () => {
  sessionCredentials = Buffer.from('half');
  await runner.start();
  await pass();
  expect(last().credentials.state).toBe('fresh');
});

test('gives up when the credentials cannot be read', async () => {
  sessionCredentials = new UnreadableSecretError({
    sessionId: 'session',
    table: 'credential',
    row: 'credentials',
  });
  await runner.start();
  expect(seen).toEqual(['DISCONNECTED CREDENTIALS_UNREADABLE session.disconnected']);
});

test('saves credentials that the socket has changed', async () => {
  await connected();
  last().platform.onCredentials();
  await pass();
  expect(calls).toEqual(['save linked']);
});

test('a code to type gets a socket of its own, with its QR code beside it', async () => {
  await scanning();
  const code = runner.pairingCode(PHONE);
  await pass();
  expect(sockets.map(({ closed }) => closed)).toEqual([true, false]);
  last().platform.onQr('QR', new Date(Date.now() + 30_000));
  await pass();
  await expect(code).resolves.toMatchObject({ code: 'ABCD1234' });
  await expect(runner.pairingCode(PHONE)).resolves.toMatchObject({ code: 'ABCD1234' });
});

test('a linked session has no code to type', async () => {
  await connected();
  const refused = expect(runner.pairingCode(PHONE)).rejects.toMatchObject({ code: 'ALREADY_LINKED' });
  await pass();
  await refused;
});

test('a connection that drops is opened anew after a wait', async () => {
  await connected();
  await close({});
  expect(seen).toEqual(['RECONNECTING CONNECTION_LOST session.disconnected']);
  expect([last().closed, calls.includes('detach')]).toEqual([true, true]);
  await pass(250);
  expect(sockets).toHaveLength(2);
  last().platform.onOpen(PHONE);
  await pass();
  expect(seen.slice(1)).toEqual(['RECONNECTING CONNECTION_LOST', 'CONNECTED LOGGED_IN session.connected']);
});

test('a restart that the platform asks for is carried out at once, and no tenant hears of it', async () => {
  await connected();
  await close({ next: 'again', reason: 'RESTART_REQUIRED' });
  expect(sockets).toHaveLength(2);
  expect(seen).toEqual(['CONNECTING RESTART_REQUIRED']);
});

test('a socket that does not work tells why, and makes the next one wait longer', async () => {
  await connected();
  await close({ reason: 'UNANSWERED', isMalfunction: true });
  expect(seen).toEqual(['RECONNECTING UNANSWERED session.disconnected']);
  await pass(249); // at least half of 500 ms
  expect(sockets).toHaveLength(1);
  await pass(251);
  expect(sockets).toHaveLength(2);
});

test('a login that takes too long is given up, and tried again', async () => {
  await runner.start();
  await pass(LOGIN_MS);
  expect(seen).toEqual(['CONNECTING CONNECT_REQUESTED', 'RECONNECTING LOGIN_TIMEOUT']);
  expect(last().closed).toBe(true);
  await pass(500);
  expect(sockets).toHaveLength(2);
});

test('a proxy that cannot be used is tried again', async () => {
  openErrors = [new ProxyError('no')];
  await runner.start();
  await pass();
  expect(seen.at(-1)).toBe('RECONNECTING PROXY_FAILED');
  await pass(500);
  expect(sockets).toHaveLength(1);
});

test('a new proxy connects anew at once', async () => {
  await connected();
  runner.reroute();
  await pass();
  expect(seen).toEqual(['RECONNECTING PROXY_CHANGED session.disconnected', 'CONNECTING PROXY_CHANGED']);
  expect(sockets.map(({ closed }) => closed)).toEqual([true, false]);
});

test('a session that is replaced stops, and does not fight over the number', async () => {
  await connected();
  await close({ next: 'stop', reason: 'REPLACED' });
  await pass(600_000);
  expect(seen).toEqual(['DISCONNECTED REPLACED session.disconnected']);
  expect(sockets).toHaveLength(1);
  expect(calls).toContain('ended');
});

test('a session that its phone unlinks forgets its secrets, and its messages fail', async () => {
  await connected();
  await close({ next: 'logged-out', reason: 'UNLINKED' });
  await pass(600_000);
  expect(seen).toEqual(['LOGGED_OUT UNLINKED session.logged_out']);
  expect(calls.filter((call) => call !== 'detach')).toEqual([
    ...['forget', 'fail SESSION_LOGGED_OUT', 'close store', 'ended'],
  ]);
  expect(sockets).toHaveLength(1);
});

test('a logout unlinks over the open socket before the secrets go', async () => {
  await connected();
  await runner.logout('LOGOUT_REQUESTED', 'SESSION_LOGGED_OUT');
  expect(last()).toMatchObject({ unlinked: true, closed: true });
  expect(seen).toEqual(['LOGGED_OUT LOGOUT_REQUESTED session.logged_out']);
  expect(calls).toEqual(['drain', 'forget', 'fail SESSION_LOGGED_OUT', 'close store']);
});

test('a logout of a session that rests opens a socket to unlink over', async () => {
  const done = runner.logout('LOGOUT_REQUESTED', 'SESSION_DELETED');
  await pass();
  last().platform.onOpen(PHONE);
  await pass();
  await done;
  expect(last()).toMatchObject({ unlinked: true, closed: true });
  expect(calls).toContain('fail SESSION_DELETED');
});

test('a logout that the platform does not confirm in time is one all the same', async () => {
  const done = runner.logout('LOGOUT_REQUESTED', 'SESSION_LOGGED_OUT');
  await pass(LOGIN_MS);
  await done;
  expect(last()).toMatchObject({ unlinked: false, closed: true });
  expect(seen).toEqual(['LOGGED_OUT LOGOUT_REQUESTED session.logged_out']);
});

test.each([
  ['USER_REQUEST', 'DISCONNECTED'],
  ['MAINTENANCE', 'RECONNECTING'],
] as const)('a stop for %s drains, closes, and leaves the session %s', async (reason, status) => {
  await connected();
  await runner.stop(reason);
  expect(seen).toEqual([`${status} ${reason} session.disconnected`]);
  expect(calls).toEqual(['drain', 'close store']);
  expect(last().closed).toBe(true);
});

test('a stop while the session waits to reconnect opens nothing more', async () => {
  await connected();
  await close({});
  await runner.stop('USER_REQUEST');
  await pass(60_000);
  expect(sockets).toHaveLength(1);
  expect(seen.at(-1)).toBe('DISCONNECTED USER_REQUEST');
});

test('a lease that is lost closes the socket, and nothing is written any more', async () => {
  await connected();
  writeErrors = [new LeaseLostError(1)];
  await close({});
  await pass(600_000);
  expect(seen).toEqual([]);
  expect(calls).toContain('lease lost');
  expect([sockets.length, last().closed]).toEqual([1, true]);
});

test('a runner that is killed hears nothing more of its socket', async () => {
  await connected();
  runner.kill();
  expect(last().closed).toBe(true);
  await close({});
  last().platform.onOpen(PHONE);
  await pass(600_000);
  expect([seen, sockets.length, runner.connected]).toEqual([[], 1, undefined]);
});

test('what a former socket says is nobody’s business', async () => {
  await connected();
  const [former] = sockets;
  await close({ next: 'again', reason: 'RESTART_REQUIRED' });
  former?.platform.onClose({ next: 'stop', reason: 'REPLACED', isMalfunction: false });
  former?.platform.onQr('late', new Date());
  await pass();
  expect(seen).toEqual(['CONNECTING RESTART_REQUIRED']);
});

test('a database that is away delays what is observed, and changes none of it', async () => {
  await connected();
  writeErrors = [new Error('no database'), new Error('no database')];
  await close({});
  expect(seen).toEqual([]);
  await realDelay(1_500);
  expect(seen).toEqual(['RECONNECTING CONNECTION_LOST session.disconnected']);
});

test('the next session logs in as soon as this one shows a QR code or is connected', async () => {
  const gate = new FairPlaces('logins', 1);
  runner = new SessionRunner(
    { id: 'session', tenantId: 'tenant', status: 'DISCONNECTED', phone: null },
    { ...tools(), logins: gate },
  );
  const next = jest.fn();
  await runner.start();
  gate.enter('other', next);
  await pass();
  expect(next).not.toHaveBeenCalled();
  last().platform.onOpen(PHONE);
  expect(next).toHaveBeenCalled();
});
