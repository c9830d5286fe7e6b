import { expect, test } from '@jest/globals';
import type { PlatformSocket } from '../platform/platform.js';
import { PairingCodes } from './pairing-codes.js';

const LOOKED_AT_UNTIL = Date.now() + 180_000;

/** A socket that is asked for codes and answers when told to. */
function aSocket() {
  const questions: { phone: string; answer: (code: string) => void }[] = [];
  const requestPairingCode = (phone: string): Promise<string> =>
    new Promise((answer) => questions.push({ phone, answer }));
  return { questions, socket: { requestPairingCode } as unknown as PlatformSocket };
}

test('whoever asks just before the first QR code is shown needs no other socket', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  const code = codes.ask('15550100001');
  expect(codes.isAwaited).toBe(true);
  void codes.fetch(socket, LOOKED_AT_UNTIL);
  expect(codes.isAwaited).toBe(false);
  questions[0]?.answer('ABCD1234');
  await expect(code).resolves.toMatchObject({ code: 'ABCD1234' });
});

test('a socket that has shown a QR code before is not asked: its time is partly over', async () => {
  const codes = new PairingCodes({ sessionId: 'one' });
  const { questions, socket } = aSocket();
  await codes.fetch(socket, LOOKED_AT_UNTIL);
  const code = codes.ask('15550100001');
  await codes.fetch(socket, LOOKED_AT_UNTIL);
  expect([questions.length, codes.isAwaited]).toEqual([0, true]);
  codes.forget(); // the next socket
  void codes.fetch(socket, LOOKED_AT_UNTIL);
  questions[0]?.answer('WXYZ9876');
  await expect(code).resolves.toMatchObject({ code: 'WXYZ9876' });
});
