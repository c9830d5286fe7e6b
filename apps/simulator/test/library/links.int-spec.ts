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
