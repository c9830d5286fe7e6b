import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { type Answer, Stack } from '../support/stack.js';

interface Linking {
  notices: { type: string; about: string; acked: boolean }[];
}
type Linked = Answer<{ jid?: string; code?: string }>;

describe('the rules of linking', () => {
  let stack: Stack;
  let lastPhone = 4915550016000;
  const newPhone = (): string => String(++lastPhone);

  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack.close());

  const rules = async (phone: string, change: object): Promise<void> => {
    expect((await stack.put(`/accounts/${phone}/linking`, change)).status).toBe(200);
  };
  const notices = async (phone: string): Promise<Linking['notices']> =>
    (await stack.get<Linking>(`/accounts/${phone}/linking`)).body.notices;
  const showing = async (): Promise<{ client: PhoneClient; qr: string }> => {
    const client = stack.client().connect();
    return { client, qr: await until(() => client.qr, 'the QR code') };
  };
  const scan = async (phone: string, qr: string): Promise<[number, string | undefined]> => {
    const { status, body }: Linked = await stack.post(`/accounts/${phone}/scan`, { qr });
    return [status, body.code];
  };
  const type = (phone: string, code: string): Promise<Linked> =>
    stack.post(`/accounts/${phone}/code`, { code });
  /** Asks for a code, and waits until the platform has answered. */
  const codeOf = async (client: PhoneClient, phone: string): Promise<string> => {
    const answers = () => client.frames.filter(({ tag, attrs }) => tag === 'iq' && attrs.id !== undefined);
    const before = answers().length;
    const code = await client.socket.requestPairingCode(phone);
    await until(() => answers().length > before, 'the answer');
    return code;
  };
  /** Draws the code anew as a client should: with another secret. */
  const redrawn = ({ socket }: PhoneClient, qr: string): string => {
    const { creds } = socket.authState;
    const before = creds.advSecretKey;
    creds.advSecretKey = randomBytes(32).toString('base64');
    return qr.replace(before, creds.advSecretKey);
  };

  test.each(['companion_reg_refresh', 'pair-device-rotate-qr'])(
    'a code is scanned until it was drawn anew as often as is wanted, which is ordered as %s',
    async (refreshChild) => {
      const phone = newPhone();
      await rules(phone, { refreshOnScan: 2, refreshChild });
      const { client, qr } = await showing();
      expect(await scan(phone, qr)).toEqual([409, 'SCAN_AGAIN']);
      expect(await scan(phone, qr)).toEqual([422, 'QR_SECRET_KEPT']);
      const second = redrawn(client, qr);
      const [, ref = ''] = /#([^,]+),/.exec(second) ?? [];
      expect(await scan(phone, second.replace(ref, `${ref.slice(0, -1)}x`))).toEqual([410, 'QR_EXPIRED']);
      expect(await scan(phone, second)).toEqual([409, 'SCAN_AGAIN']);
      expect(await scan(phone, redrawn(client, second))).toEqual([200, undefined]);
      // The client does not know the order, and acknowledges nothing before it knows its number (upstream 2737, 2738).
      const unheard = { type: 'companion_reg_refresh', about: refreshChild, acked: false };
      expect(await notices(phone)).toEqual([unheard, unheard]);
    },
  );

  test('an acknowledgement is noted', async () => {
    const phone = newPhone();
    await rules(phone, { refreshOnScan: 1 });
    const { client, qr } = await showing();
    client.socket.ws.on('CB:notification', ({ attrs }: { attrs: Record<string, string> }) => {
      const { id = '', type = '', from = '' } = attrs;
      void client.socket.sendNode({ tag: 'ack', attrs: { id, type, class: 'notification', to: from } });
    });
    await scan(phone, qr);
    await until(async () => (await notices(phone))[0]?.acked, 'the acknowledgement');
  });

  test('an order to draw the QR code anew does not hinder a code that was typed', async () => {
    const phone = newPhone();
    await rules(phone, { refreshOnScan: 1 });
    const { client } = await showing();
    expect((await type(phone, await codeOf(client, phone))).status).toBe(200);
    expect((await notices(phone)).map(({ about }) => about)).toEqual([
      'primary_hello',
      'companion_reg_refresh',
    ]);
  });

  test('the device is asked for another code in place of the typed one, which counts no more', async () => {
    const phone = newPhone();
    await rules(phone, { refreshCode: 1, forceManualRefresh: true });
    const { client } = await showing();
    const code = await codeOf(client, phone);
    expect(await type(phone, code)).toMatchObject({ status: 409, body: { code: 'CODE_REFRESHED' } });
    expect(await type(phone, code)).toMatchObject({ status: 404 });
    expect(await notices(phone)).toMatchObject([{ about: 'refresh_code' }]);
  });

  test('an empty message may come before the answer of the phone', async () => {
    const phone = newPhone();
    await rules(phone, { precursor: true });
    const { client } = await showing();
    await type(phone, await codeOf(client, phone));
    expect((await notices(phone)).map(({ about }) => about)).toEqual(['primary_hello', 'primary_hello']);
  });

  test('a device with a code to type is refused on a system that is not common', async () => {
    const phone = newPhone();
    await rules(phone, { systems: ['Windows'] });
    const { client } = await showing();
    const code = await codeOf(client, phone);
    expect(client.frames.at(-1)).toMatchObject({ tag: 'iq', attrs: { type: 'error' } });
    expect(await type(phone, code)).toMatchObject({ status: 404, body: { code: 'CODE_NOT_REQUESTED' } });
    await stack.call('DELETE', `/accounts/${phone}/linking`);
    expect((await type(phone, await codeOf(client, phone))).status).toBe(200);
  });

  test('a connection that links nothing ends by itself', async () => {
    await stack.put('/linking', { lifeMs: 500 });
    const { client } = await showing();
    expect(await client.closed()).toBe(428);
    await stack.put('/linking', { lifeMs: 210_000 });
  });
});
