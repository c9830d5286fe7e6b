import { expect, test } from '@jest/globals';
import type { PairingCode } from '@svc/contracts';
import type { PlatformSocket } from '../platform/port.js';
import { PairingCodes } from './pairing-codes.js';

const VIEWED_UNTIL = Date.now() + 180_000;

/** A socket that is asked for codes and answers when told to. */
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
