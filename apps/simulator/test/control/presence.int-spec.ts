import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550015000';
const CONTACT = '4915550015001';
const ADDRESS = `${CONTACT}@s.whatsapp.net`;

interface Seen {
  from: string;
  state: string;
  changes: number;
}

interface Account {
  wouldNotify: boolean;
  devices: { available: boolean; availableSince: string | null; timesAvailable: number }[];
}

describe('presence and typing', () => {
  let stack: Stack;
  let client: PhoneClient;
  const updates: { id: string; presence: string | undefined; lastSeen: number | undefined }[] = [];

  beforeAll(async () => {
    stack = await Stack.start();
    await stack.post('/accounts', { phone: ACCOUNT, name: 'Shop' });
    client = await stack.linked(ACCOUNT);
    await client.socket.sendNode({ tag: 'presence', attrs: { type: 'available' } });
    client.socket.ev.on('presence.update', ({ id, presences }) => {
      const [presence] = Object.values(presences);
      updates.push({ id, presence: presence?.lastKnownPresence, lastSeen: presence?.lastSeen });
    });
  });
  afterAll(() => stack.close());

  const account = async (phone: string): Promise<Account> =>
    (await stack.get<Account>(`/accounts/${phone}`)).body;

  /** Has a device say that its owner is not there, until that counts: the client says the contrary by itself at times. */
  const leave = ({ socket }: PhoneClient, phone: string): Promise<unknown> =>
    until(async () => {
      await socket.sendNode({ tag: 'presence', attrs: { type: 'unavailable' } });
      return (await account(phone)).wouldNotify;
    }, 'the owner to go');

  const seen = async (): Promise<Seen[]> =>
    (await stack.get<{ items: Seen[] }>(`/contacts/${CONTACT}/typing`)).body.items;

  test.each(['composing', 'recording', 'paused'] as const)('a contact sees that we are %s', async (state) => {
    const before = (await seen())[0]?.changes ?? 0;
    await client.socket.sendPresenceUpdate(state, ADDRESS);
    await until(async () => (await seen())[0]?.state === state, state);
    expect(await seen()).toMatchObject([{ from: ACCOUNT, state, changes: before + 1 }]);
  });

  test('the members of a group see that we are writing there', async () => {
    const members = [CONTACT, ACCOUNT];
    const { jid } = (await stack.post<{ jid: string }>('/groups', { subject: 'Neighbours', members })).body;
    const before = await seen();
    await client.socket.sendPresenceUpdate('composing', jid);
    await until(async () => (await seen()).length === before.length + 1, 'the member to see it');
    expect(await seen()).toEqual([
      ...before,
      expect.objectContaining({ from: ACCOUNT, group: jid, state: 'composing' }),
    ]);
  });

  test.each([
    ['composing', 'composing'],
    ['recording', 'recording'],
    // The client takes the end of writing for being there.
    ['paused', 'available'],
  ])('we see that a contact is %s', async (state, reported) => {
    const { lid } = (await stack.post<{ lid: string }>('/contacts', { phone: CONTACT })).body;
    updates.length = 0;
    const { body } = await stack.post(`/contacts/${CONTACT}/typing`, { to: ACCOUNT, state });
    expect(body).toEqual({ devices: 1 });
    await until(() => updates.find(({ id, presence }) => id === lid && presence === reported), state);
  });

  test('whoever asks is told whether a contact is there, now and whenever it changes', async () => {
    expect((await stack.post(`/contacts/${CONTACT}/presence`, { available: false })).body).toEqual({
      devices: 0,
    });
    updates.length = 0;
    await client.socket.presenceSubscribe(ADDRESS);
    const gone = await until(() => updates.find(({ id }) => id === ADDRESS), 'the presence of now');
    expect(gone).toMatchObject({ presence: 'unavailable', lastSeen: expect.any(Number) });
    expect((await stack.post(`/contacts/${CONTACT}/presence`, { available: true })).body).toEqual({
      devices: 1,
    });
    await until(() => updates.find(({ presence }) => presence === 'available'), 'the contact to come');
  });

  test('a device whose owner is not there is told nothing of others', async () => {
    const owner = '4915550015003';
    const device = await stack.linked(owner);
    await leave(device, owner);
    const typed = await stack.post(`/contacts/${CONTACT}/typing`, { to: owner, state: 'composing' });
    expect(typed.body).toEqual({ devices: 0 });
  });

  test('an account is there as long as a device says so', async () => {
    const available = async () =>
      (await stack.get<{ devices: { available: boolean }[] }>(`/accounts/${ACCOUNT}`)).body.devices[0]
        ?.available;
    await until(() => client.credentials.creds.me?.name === 'Shop', 'the name');
    for (const state of ['available', 'unavailable'] as const) {
      await client.socket.sendPresenceUpdate(state);
      await until(async () => (await available()) === (state === 'available'), state);
    }
  });

  test('the phone of an account notifies nobody while a device is available, and one that names no type is', async () => {
    const phone = '4915550015002';
    const device = await stack.linked(phone);
    const notifies = (would: boolean) =>
      until(async () => (await account(phone)).wouldNotify === would, `would notify: ${would}`);
    await leave(device, phone);
    const before = (await account(phone)).devices[0]?.timesAvailable ?? 0;
    await device.socket.sendNode({ tag: 'presence', attrs: { name: 'Shop' } });
    await notifies(false);
    const [silencer] = (await account(phone)).devices;
    expect(silencer?.timesAvailable).toBeGreaterThan(before);
    expect(Date.parse(silencer?.availableSince ?? '')).toBeLessThanOrEqual(Date.now());
    await device.stop();
    await notifies(true);
    expect((await account(phone)).devices).toMatchObject([{ available: false, availableSince: null }]);
  });
});
