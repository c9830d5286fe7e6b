import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomKeyPair } from '../../src/noise/keys.js';
import { until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { type Account, Stack } from '../support/stack.js';

interface ErrorBody {
  code: string;
  message: string;
}

/** Complaints that every first connection of this client version makes, with any server. */
const HARMLESS = new Set(['stream errored out', 'no name present, ignoring presence update request...']);

describe('linking a device', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack.close());

  const qrOf = async (): Promise<{ client: ReturnType<Stack['client']>; qr: string }> => {
    const client = stack.client().connect();
    return { client, qr: await until(() => client.qr, 'the QR code') };
  };

  test('links by QR and opens without a complaint of the client', async () => {
    await stack.post('/accounts', { phone: '4915550001001', name: 'Shop' });
    const client = await stack.linked('4915550001001');
    await until(() => client.credentials.creds.me?.name === 'Shop', 'the name');
    expect(client.credentials.creds.me?.id).toBe('4915550001001:1@s.whatsapp.net');
    expect(client.complaints().filter(({ message }) => !HARMLESS.has(message))).toEqual([]);
    const account = await stack.account('4915550001001');
    expect(account.devices).toEqual([
      expect.objectContaining({
        device: 1,
        name: 'Mac OS',
        online: true,
        jid: '4915550001001:1@s.whatsapp.net',
      }),
    ]);
    expect(client.credentials.creds.me?.lid).toBe(account.lid.replace('@', ':1@'));
  });

  test('opens without any complaint when it connects again', async () => {
    const client = await stack.linked('4915550001002');
    await until(
      async () => (await stack.account('4915550001002')).devices[0]?.queued === 0,
      'the first sync',
    );
    await client.stop();
    client.logs.length = 0;
    client.connect();
    await client.opened();
    await until(() => client.state.receivedPendingNotifications, 'the end of the backlog');
    expect(client.complaints()).toEqual([]);
  });

  test('gives a new device of the same phone the next number', async () => {
    await stack.linked('4915550001003');
    await stack.linked('4915550001003');
    const { devices } = await stack.account('4915550001003');
    expect(devices.map(({ device, online }) => ({ device, online }))).toEqual([
      { device: 1, online: true },
      { device: 2, online: true },
    ]);
  });

  test('refuses a text that is no QR code, naming the field', async () => {
    const { status, body } = await stack.post<ErrorBody>('/accounts/4915550001004/scan', { qr: 'a,b,c,d' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringMatching(/^qr /) });
  });

  test('refuses a QR code whose connection is gone', async () => {
    const { client, qr } = await qrOf();
    await client.stop();
    const refused = await until(async () => {
      const answer = await stack.post<ErrorBody>('/accounts/4915550001005/scan', { qr });
      return answer.status === 410 && answer;
    }, 'the QR code to expire');
    expect(refused.body.code).toBe('QR_EXPIRED');
  });

  test('refuses a QR code with keys that the connection does not have', async () => {
    const { qr } = await qrOf();
    const [ref, noise, , adv] = qr.split(',');
    const foreign = [ref, noise, randomKeyPair().public.toString('base64'), adv].join(',');
    const { status, body } = await stack.post<ErrorBody>('/accounts/4915550001006/scan', { qr: foreign });
    expect(status).toBe(400);
    expect(body.message).toMatch(/keys differ/);
  });

  test('refuses a device that signs with another identity key', async () => {
    const { client, qr } = await qrOf();
    client.credentials.creds.signedIdentityKey.private = randomKeyPair().private;
    const { status, body } = await stack.post<ErrorBody>('/accounts/4915550001007/scan', { qr });
    expect(status).toBe(422);
    expect(body.code).toBe('LINK_REFUSED');
    expect(await client.closed()).toBe(401);
    expect((await stack.get<Account>('/accounts/4915550001007')).status).toBe(404);
  });

  test('seals the device identity with the secret of the QR code: a client with another one refuses it', async () => {
    const { client, qr } = await qrOf();
    client.credentials.creds.advSecretKey = randomKeyPair().public.toString('base64');
    const { status } = await stack.post('/accounts/4915550001008/scan', { qr });
    expect(status).toBe(422);
    expect(client.credentials.creds.account).toBeUndefined();
  });

  test('cuts off a registration whose signed pre-key is not signed by the identity', async () => {
    const client = stack.client();
    client.credentials.creds.signedPreKey.signature = new Uint8Array(64).fill(7);
    client.connect();
    expect(await client.closed()).toBe(428);
    expect(client.qr).toBeUndefined();
  });

  test('refuses a login with another noise key with 401', async () => {
    const client = await stack.linked('4915550001009');
    await client.stop();
    const right = client.credentials.creds.noiseKey;
    Object.assign(client.credentials.creds, { noiseKey: randomKeyPair() });
    client.connect();
    expect(await client.closed()).toBe(401);
    Object.assign(client.credentials.creds, { noiseKey: right });
    client.connect();
    await client.opened();
  });

  test('refuses the login of a device that was never linked', async () => {
    const client = new RawClient();
    await client.login(stack.simulator.websocket, randomKeyPair(), { username: 4915559999999, device: 1 });
    const failure = await client.waitFor((node) => node.tag === 'failure', 'the failure');
    expect(failure.attrs.reason).toBe('401');
    await until(() => client.closed, 'the close');
  });
});
