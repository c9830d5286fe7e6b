import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550018000';
const CONTACT = '4915550018001@s.whatsapp.net';

interface Setting {
  collection: string;
  index: string[];
  value: Record<string, unknown>;
}

describe('settings that phone and devices share', () => {
  let stack: Stack;
  let client: PhoneClient;
  const named: { id?: string; name?: string }[] = [];

  beforeAll(async () => {
    stack = await Stack.start();
    await stack.post('/accounts', { phone: ACCOUNT, name: 'Shop' });
    client = await stack.linked(ACCOUNT);
    client.socket.ev.on('contacts.upsert', (contacts) => named.push(...contacts));
    await until(() => client.credentials.creds.myAppStateKeyId, 'the key of the settings');
  });
  afterAll(() => stack.close());

  const change = (setting: object) =>
    stack.put<{ version: number }>(`/accounts/${ACCOUNT}/settings`, setting);
  const settings = async (): Promise<Setting[]> =>
    (await stack.get<{ items: Setting[] }>(`/accounts/${ACCOUNT}/settings`)).body.items;
  const rename = (name: string) =>
    change({
      collection: 'critical_block',
      index: ['setting_pushName'],
      value: { pushNameSetting: { name } },
    });

  test('a name changed on the phone reaches the device', async () => {
    for (const name of ['Corner Shop', 'Corner Café']) {
      expect((await rename(name)).status).toBe(200);
      await until(() => client.credentials.creds.me?.name === name, name);
    }
    expect(await settings()).toEqual([
      expect.objectContaining({
        index: ['setting_pushName'],
        value: expect.objectContaining({ pushNameSetting: { name: 'Corner Café' } }),
      }),
    ]);
  });

  test('a contact named on the phone is told to the device', async () => {
    const value = { contactAction: { fullName: 'Ann Example' } };
    await change({ collection: 'critical_unblock_low', index: ['contact', CONTACT], value, apiVersion: 2 });
    await until(() => named.find(({ id, name }) => id === CONTACT && name === 'Ann Example'), 'the name');
  });

  test('what the device sets is seen on the phone, and both may go on', async () => {
    await client.socket.chatModify({ mute: 8 * 3_600_000 }, CONTACT);
    const muted = await until(
      async () => (await settings()).find(({ index }) => index[0] === 'mute'),
      'the muted chat',
    );
    expect(muted).toMatchObject({ index: ['mute', CONTACT], value: { muteAction: { muted: true } } });
    await client.socket.updateProfileName('Kiosk');
    await until(
      async () => (await settings()).some(({ value }) => JSON.stringify(value).includes('Kiosk')),
      'the name set by the device',
    );
    await rename('Kiosk 2');
    await until(() => client.credentials.creds.me?.name === 'Kiosk 2', 'the name set by the phone');
  });

  test('a device that was away fetches what was set meanwhile at its next login', async () => {
    await client.stop();
    await rename('Closed');
    client.connect();
    await client.opened();
    await client.socket.resyncAppState(['critical_block'], false);
    await until(() => client.credentials.creds.me?.name === 'Closed', 'the name');
  });

  test.each([
    { collection: 'all', index: ['x'], value: { pushNameSetting: { name: 'x' } } },
    { collection: 'regular', index: [], value: { pushNameSetting: { name: 'x' } } },
    { collection: 'regular', index: ['x'], value: {} },
    { collection: 'regular', index: ['x'], value: { colour: 'red' } },
  ])('refuses %j', async (setting) => {
    expect((await change(setting)).status).toBe(400);
  });
});
