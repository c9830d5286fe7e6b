import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { sessionWithStranger } from './library-alone.js';

let info: jest.SpiedFunction<Console['info']>;

beforeAll(() => {
  for (const method of ['warn', 'error'] as const) jest.spyOn(console, method).mockReturnValue();
  info = jest.spyOn(console, 'info').mockReturnValue();
});
afterAll(() => void jest.restoreAllMocks());

/** Version of a Signal message, an unknown ratchet key, a counter, a text, and a seal that fits nothing. */
function messageOfSomebodyElse(): Buffer {
  const ratchetKey = Buffer.concat([Buffer.of(5), Buffer.alloc(32, 9)]);
  const fields = [Buffer.of(0x0a, ratchetKey.length), ratchetKey, Buffer.of(0x10, 0, 0x18, 0, 0x22, 1, 0)];
  return Buffer.concat([Buffer.of(0x33), ...fields, Buffer.alloc(8)]);
}

test('the library changes a session by a trial that fails', async () => {
  const { cipher, record } = await sessionWithStranger();
  const [session] = record.getSessions();
  const before = JSON.stringify(session?.serialize());
  await expect(cipher.decryptWithSessions(messageOfSomebodyElse(), record.getSessions())).rejects.toThrow();
  expect(JSON.stringify(session?.serialize())).not.toBe(before);
});

test('the library prints sessions with their private keys', async () => {
  const { record } = await sessionWithStranger();
  const [session] = record.getSessions();
  if (session) record.closeSession(session);
  expect(info.mock.calls.flat()).toContain(session);
  expect(JSON.stringify(session?.serialize())).toContain('privKey');
});
