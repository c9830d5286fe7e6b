import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

let stack: Stack;

beforeAll(async () => void (stack = await Stack.start()));
afterAll(() => stack.close());

test('the library draws later QR codes with the secret that it has copied before', async () => {
  const client = stack.client().connect({ qrTimeout: 100 });
  const first = await until(() => client.qr, 'the first code');
  const { creds } = client.socket.authState;
  const before = creds.advSecretKey;
  creds.advSecretKey = randomBytes(32).toString('base64');
  const second = await until(() => client.qr !== first && client.qr, 'the second code');
  expect(second).toContain(before);
  expect(second).not.toContain(creds.advSecretKey);
});

test('the library ends the socket after the sixth QR code, also while a code may be typed', async () => {
  const client = stack.client().connect({ qrTimeout: 100 });
  await until(() => client.qr, 'a code');
  await client.socket.requestPairingCode('4915550016001');
  expect(await client.closed()).toBe(408);
});

test('the library has a code to type before the platform has taken it', async () => {
  const client = stack.client().connect();
  await until(() => client.qr, 'a QR code');
  const answers = () =>
    client.frames.filter(({ tag, attrs }) => tag === 'iq' && attrs.type === 'result').length;
  const before = answers();
  expect(await client.socket.requestPairingCode('4915550016002')).toMatch(/^.{8}$/);
  expect(answers()).toBe(before);
});

test('the library draws QR codes to the end while a passkey is asked for, and does not acknowledge that', async () => {
  const phone = '4915550016003';
  await stack.put(`/accounts/${phone}/linking`, { passkey: 'always' });
  const client = stack.client().connect({ qrTimeout: 300 });
  const qr = await until(() => client.qr, 'a QR code');
  await stack.post(`/accounts/${phone}/scan`, { qr });
  expect(await client.closed()).toBe(408);
  expect(client.qr).not.toBe(qr);
  const { body } = await stack.get<{ notices: object[] }>(`/accounts/${phone}/linking`);
  expect(body.notices).toMatchObject([{ type: 'passkey_prologue_request', acked: false }]);
});
