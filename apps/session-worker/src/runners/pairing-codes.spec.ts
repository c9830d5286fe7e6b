import { afterEach, expect, jest, test } from '@jest/globals';
import type { PairingCode } from '@svc/contracts';
import { DeviceNameRefusedError } from '../platform/errors.js';
import type { PlatformSocket } from '../platform/port.js';
import { PairingCodes } from './pairing-codes.js';

afterEach(() => void jest.useRealTimers());

const VIEWED_UNTIL = Date.now() + 180_000;

/** Makes a socket that is asked for codes and answers on request. */
function aSocket() {
  const questions: { phone: string; answer: (code: string) => void }[] = [];
  const expiresAt = new Date(VIEWED_UNTIL + 60_000).toISOString();
  const requestPairingCode = (phone: string): Promise<PairingCode> =>
    new Promise((resolve) => questions.push({ phone, answer: (code) => resolve({ code, expiresAt }) }));
  return { questions, socket: { requestPairingCode } as unknown as PlatformSocket };
}

test('whoever asks just before the first QR code is shown needs no other socket', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  const code = codes.ask('15550100001');
  expect(codes.isAwaited).toBe(true);
  void codes.fetch(socket, VIEWED_UNTIL);
  expect(codes.isAwaited).toBe(false);
  questions[0]?.answer('ABCD1234');
  await expect(code).resolves.toEqual({ code: 'ABCD1234', expiresAt: new Date(VIEWED_UNTIL).toISOString() });
});

test('a socket that has shown a QR code before is not asked: its time is partly over', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  await codes.fetch(socket, VIEWED_UNTIL);
  const code = codes.ask('15550100001');
  await codes.fetch(socket, VIEWED_UNTIL);
  expect([questions.length, codes.isAwaited]).toEqual([0, true]);
  codes.forget(); // the next socket
  void codes.fetch(socket, VIEWED_UNTIL);
  questions[0]?.answer('WXYZ9876');
  await expect(code).resolves.toMatchObject({ code: 'WXYZ9876' });
});

test('whoever asks for the same number meanwhile gets the same code, and the platform is asked once', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  const first = codes.ask('15550100001');
  const beforeTheSocket = codes.ask('15550100001');
  void codes.fetch(socket, VIEWED_UNTIL);
  const whileItIsAsked = codes.ask('15550100001');
  questions[0]?.answer('ABCD1234');
  const all = await Promise.all([first, beforeTheSocket, whileItIsAsked]);
  expect(all.map(({ code }) => code)).toEqual(['ABCD1234', 'ABCD1234', 'ABCD1234']);
  expect([questions.length, codes.isAwaited]).toEqual([1, false]);
});

test('whoever asks for another number takes the place: a conflict of the two, and no trouble of the platform', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  const first = codes.ask('15550100001');
  const second = codes.ask('15550100002');
  await expect(first).rejects.toMatchObject({ code: 'QR_CONFLICT' });
  void codes.fetch(socket, VIEWED_UNTIL);
  questions[0]?.answer('ABCD1234');
  await expect(second).resolves.toMatchObject({ code: 'ABCD1234' });
});

const PHONE = '15550100001';
const unavailable = { code: 'PLATFORM_UNAVAILABLE' };

test('a code is shown to whoever asks again for the same number, until it expires', async () => {
  jest.useFakeTimers();
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  const code = codes.ask(PHONE);
  const until = Date.now() + 20_000;
  void codes.fetch(socket, until);
  questions[0]?.answer('ABCD1234');
  expect(codes.shownFor(PHONE)).toBeUndefined();
  await code;
  expect(codes.shownFor(PHONE)).toEqual({ code: 'ABCD1234', expiresAt: new Date(until).toISOString() });
  expect(codes.shownFor('15550100002')).toBeUndefined();
  jest.advanceTimersByTime(19_999);
  expect(codes.shownFor(PHONE)).toBeDefined();
  jest.advanceTimersByTime(1);
  expect(codes.shownFor(PHONE)).toBeUndefined();
});

test('a code is gone with the socket that it is for', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  const code = codes.ask(PHONE);
  void codes.fetch(socket, VIEWED_UNTIL);
  questions[0]?.answer('ABCD1234');
  await code;
  codes.forget();
  expect(codes.shownFor(PHONE)).toBeUndefined();
});

test('whoever waits for fifteen seconds waits no longer, and the next one gets a place of its own', async () => {
  jest.useFakeTimers();
  const codes = new PairingCodes({ sessionId: 'one' });
  const late = codes.ask(PHONE);
  const refused = expect(late).rejects.toMatchObject(unavailable);
  jest.advanceTimersByTime(14_999);
  expect(codes.isAwaited).toBe(true);
  jest.advanceTimersByTime(1);
  expect(codes.isAwaited).toBe(false);
  await refused;
  const next = codes.ask(PHONE);
  expect(codes.isAwaited).toBe(true);
  expect(next).not.toBe(late);
  codes.refuse();
  await expect(next).rejects.toMatchObject(unavailable);
});

test('a platform that gives no code, or gives it too late, is not available, and why is kept', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const no = new Error('no');
  const refusing = { requestPairingCode: () => Promise.reject(no) } as unknown as PlatformSocket;
  const refused = expect(codes.ask(PHONE)).rejects.toMatchObject({ ...unavailable, cause: no });
  await codes.fetch(refusing, VIEWED_UNTIL);
  await refused;
  codes.forget();
  const { questions, socket } = aSocket();
  const late = expect(codes.ask(PHONE)).rejects.toMatchObject({
    ...unavailable,
    cause: new Error('The socket is gone.'),
  });
  const fetched = codes.fetch(socket, VIEWED_UNTIL);
  codes.forget();
  questions[0]?.answer('ABCD1234');
  await Promise.all([late, fetched]);
  expect(codes.shownFor(PHONE)).toBeUndefined();
});

test('a question that has lost its place leaves the one in its place alone', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const lost = expect(codes.ask('15550100002')).rejects.toMatchObject({
    code: 'QR_CONFLICT',
    message: 'A code for another number was asked for meanwhile.',
  });
  const code = codes.ask(PHONE);
  await lost;
  expect(codes.isAwaited).toBe(true);
  const again = codes.ask(PHONE);
  codes.refuse();
  await expect(code).rejects.toMatchObject(unavailable);
  await expect(again).rejects.toMatchObject(unavailable);
});

test('another code takes the place of one that is shown, for as long as somebody looks; without another there is none', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  codes.replace({ code: 'TOOEARLY', expiresAt: new Date(VIEWED_UNTIL).toISOString() });
  expect(codes.shownFor(PHONE)).toBeUndefined();
  const asked = codes.ask(PHONE);
  void codes.fetch(socket, VIEWED_UNTIL);
  questions[0]?.answer('ABCD1234');
  await asked;
  codes.replace({ code: 'WXYZ9876', expiresAt: new Date(VIEWED_UNTIL + 60_000).toISOString() });
  const expiresAt = new Date(VIEWED_UNTIL).toISOString();
  expect(codes.shownFor(PHONE)).toEqual({ code: 'WXYZ9876', expiresAt });
  codes.replace(undefined);
  expect(codes.shownFor(PHONE)).toBeUndefined();
});

test('a name of the device that the platform refuses is no trouble that passes', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const asked = codes.ask(PHONE);
  const refuse = (): Promise<PairingCode> => Promise.reject(new DeviceNameRefusedError());
  void codes.fetch({ requestPairingCode: refuse } as unknown as PlatformSocket, VIEWED_UNTIL);
  await expect(asked).rejects.toMatchObject({ code: 'DEVICE_NAME_REFUSED', retryable: false });
});
