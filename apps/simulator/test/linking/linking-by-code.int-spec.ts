import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { type Answer, Stack } from '../support/stack.js';

interface Linked {
  jid: string;
  code: string;
}

describe('linking a device by a code', () => {
  let stack: Stack;
  let lastPhone = 4915550009000;
  const newPhone = (): string => String(++lastPhone);

  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack.close());

  /** Starts a client that shows a code for the phone. */
  const showing = async (phone: string): Promise<{ client: PhoneClient; code: string }> => {
    const client = stack.client().connect();
    await until(() => client.qr, 'the connection');
    return { client, code: await client.socket.requestPairingCode(phone) };
  };
  /** Types the code as a person does: once the phone has the request of a device. */
  const type = (phone: string, code: string): Promise<Answer<Linked>> =>
    until(async () => {
      const answer = await stack.post<Linked>(`/accounts/${phone}/code`, { code });
      return answer.status !== 404 && answer;
    }, 'the request for a code');
  const opens = async (client: PhoneClient): Promise<void> => {
    expect(await client.closed()).toBe(515);
    client.connect();
    await client.opened();
  };

  test('links as a scan does, and the device can be written to', async () => {
    const phone = newPhone();
    const { client, code } = await showing(phone);
    const { status, body } = await type(phone, code);
    expect([status, body.jid]).toEqual([200, `${phone}:1@s.whatsapp.net`]);
    await opens(client);
    expect(client.credentials.creds.registered).toBe(true);
    expect((await stack.account(phone)).devices).toMatchObject([{ device: 1, online: true }]);
    await stack.write(newPhone(), phone, 'linked by code');
    await until(() => client.texts().find(({ text }) => text === 'linked by code'), 'the message');
  });

  test('says a wrong code at the phone, tells the device nothing, and lets the person try again', async () => {
    const phone = newPhone();
    const { client, code } = await showing(phone);
    const wrong = await type(phone, code === 'AAAAAAAA' ? 'BBBBBBBB' : 'AAAAAAAA');
    expect([wrong.status, wrong.body.code]).toEqual([422, 'CODE_WRONG']);
    expect(client.state.connection).not.toBe('close');
    expect((await stack.get(`/accounts/${phone}`)).status).toBe(404);
    const typed = `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase();
    expect((await type(phone, typed)).status).toBe(200);
    await opens(client);
  });

  test('counts the latest code when a device asks for another', async () => {
    const phone = newPhone();
    const { client, code } = await showing(phone);
    await client.socket.requestPairingCode(phone);
    const latest = client.credentials.creds.pairingCode ?? '';
    await until(
      () => client.frames.filter(({ tag, attrs }) => tag === 'iq' && attrs.type === 'result').length >= 2,
      'both answers',
    );
    expect((await type(phone, code)).status).toBe(422);
    expect((await type(phone, latest)).status).toBe(200);
    await opens(client);
  });

  test('knows no code that nobody shows, or whose device is gone', async () => {
    const phone = newPhone();
    const typed = () => stack.post<Linked>(`/accounts/${phone}/code`, { code: 'ABCD2345' });
    expect(await typed()).toMatchObject({ status: 404, body: { code: 'CODE_NOT_REQUESTED' } });
    const { client, code } = await showing(phone);
    await type(phone, code === 'ABCD2345' ? 'BCDE2345' : 'ABCD2345');
    await client.stop();
    await until(async () => (await typed()).status === 404, 'the request to be forgotten');
  });

  test('refuses what cannot be a code', async () => {
    const { status, body } = await stack.post<Linked>(`/accounts/${newPhone()}/code`, { code: 'ABC' });
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});
