import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';
import { SecondClient } from './second-client.js';

const [ACCOUNT, BY_CODE, CONTACT] = ['4915550031000', '4915550031001', '4915550031100'];
const RESUMED = 'noise resume handshake successful without fallback';

describe('a second, independent client', () => {
  let stack: Stack;
  let client: SecondClient;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await new SecondClient(stack).link(ACCOUNT);
  });
  afterAll(async () => {
    await client.stop();
    await stack.close();
  });

  const logins = async (): Promise<number> =>
    (await stack.get<{ items: { event: string }[] }>('/connections?since=0')).body.items.filter(
      ({ event }) => event === 'login',
    ).length;

  const uploads = (): number =>
    client.logs.filter(({ text }) => text === 'uploaded prekeys to server').length;

  test('links by QR and logs in by the handshake that goes with a key it remembers', async () => {
    const { devices } = await stack.account(ACCOUNT);
    expect(devices).toMatchObject([{ device: 1, online: true }]);
    expect([client.logs.filter(({ text }) => text === RESUMED).length, await logins()]).toEqual([1, 1]);
  });

  test('finds its own keys in the digest of those that it uploaded', async () => {
    await client.says('signal digest validated');
    expect(uploads()).toBe(1);
  });

  test('is told the key of the settings by its phone', async () => {
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0, 'its receipts');
    expect(client.complaints()).toEqual([]);
  });

  test('resumes after a close, and gets what was written in the meantime', async () => {
    await client.stop();
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.online === false, 'the close');
    const id = await stack.write(CONTACT, ACCOUNT, 'while you were out');
    await client.connect();
    await client.opened();
    expect((await client.messageOf(id)).message?.conversation).toBe('while you were out');
    expect((await stack.becomes(CONTACT, id, 'DELIVERED')).deliveries).toBe(1);
    expect(client.logs.filter(({ text }) => text === RESUMED)).toHaveLength(2);
    expect(client.complaints()).toEqual([]);
  });

  test('is reminded at the next login when its one-time keys were used up while it was away', async () => {
    const before = uploads();
    await client.stop();
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.online === false, 'the close');
    await stack.put(`/accounts/${ACCOUNT}/pre-keys`, { left: 0 });
    await client.connect();
    await until(() => uploads() > before, 'another upload');
  });

  test('logs in all the same when it remembers another key of the platform', async () => {
    await client.stop();
    const before = await logins();
    client.credentials = { ...client.credentials, serverStaticKey: new Uint8Array(randomBytes(32)) };
    await client.connect();
    await client.opened();
    expect(await logins()).toBe(before + 1);
    expect(client.logs.filter(({ text }) => text === 'noise resume handshake fallback to XX')).toHaveLength(
      1,
    );
    expect(client.logs.some(({ text }) => text === 'noise handshake failed')).toBe(false);
  });

  test('links by a typed code', async () => {
    const other = await new SecondClient(stack).connect();
    try {
      await until(() => other.qr, 'the connection');
      const code = await other.zapo.requestPairingCode(BY_CODE);
      const typed = await until(async () => {
        const answer = await stack.post(`/accounts/${BY_CODE}/code`, { code });
        return answer.status !== 404 && answer;
      }, 'the request for a code');
      expect(typed.status).toBe(200);
      await other.opened();
      const id = await stack.write(CONTACT, BY_CODE, 'linked by code');
      expect((await other.messageOf(id)).message?.conversation).toBe('linked by code');
    } finally {
      await other.stop();
    }
  });

  test('shares an account with the first client: each hears what the other sends', async () => {
    const first: PhoneClient = await stack.linked(ACCOUNT);
    const sent = await first.sendText(CONTACT, 'from the first');
    expect((await client.messageOf(sent)).message?.extendedTextMessage?.text).toBe('from the first');
    const { id } = await client.zapo.sendMessage(`${CONTACT}@s.whatsapp.net`, 'from the second');
    const copy = await until(() => first.messageOf(id), 'the copy');
    expect([copy.message?.conversation, copy.key.fromMe]).toEqual(['from the second', true]);
  });
});
