import { afterEach, expect, test } from '@jest/globals';
import {
  type ConnectionState,
  DEFAULT_CACHE_TTLS,
  DEFAULT_CONNECTION_CONFIG,
  type WASocket,
} from '@whiskeysockets/baileys';
import { socketToNobody } from './library-alone.js';

let socket: WASocket | undefined;
afterEach(async () => {
  await socket?.end(undefined);
  socket = undefined;
});

test('the library takes no trust root for one socket', () => {
  expect(Object.keys(DEFAULT_CONNECTION_CONFIG).filter((name) => /cert|trust|root/i.test(name))).toEqual([]);
});

test('the library forgets within minutes which devices somebody has', () => {
  expect(DEFAULT_CACHE_TTLS.USER_DEVICES).toBeLessThanOrEqual(5 * 60);
});

test('the library counts resends only where it keeps what was sent, too', () => {
  socket = socketToNobody();
  const key = ['1@s.whatsapp.net', 'A'] as const;
  socket.messageRetryManager?.addRecentMessage(...key, { conversation: 'kept' });
  expect(socket.messageRetryManager?.getRecentMessage(...key)).toBeDefined();
  const without = socketToNobody({ enableRecentMessageCache: false });
  expect(without.messageRetryManager).toBeNull();
  void without.end(undefined);
});

test('the library reserves room for all that it may keep for resends', () => {
  socket = socketToNobody();
  expect(socket.messageRetryManager).toMatchObject({
    recentMessagesMap: { max: 512 },
    baseKeys: { max: 1_024 },
  });
});

test('the library says of a door at which nobody is what it says of a platform that is silent', async () => {
  const opened = (socket = socketToNobody());
  const { lastDisconnect } = await new Promise<Partial<ConnectionState>>((resolve) =>
    opened.ev.on('connection.update', (update) => update.connection === 'close' && resolve(update)),
  );
  const { output, data } = lastDisconnect?.error as never as {
    output: { statusCode: number };
    data: { code: string };
  };
  expect(output.statusCode).toBe(408);
  expect(data.code).toBe('ECONNREFUSED');
});
