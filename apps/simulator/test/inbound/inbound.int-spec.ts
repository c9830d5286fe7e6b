import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_CONNECTION_CONFIG, type WASocket } from '@whiskeysockets/baileys';
import { type PhoneClient, until } from '../support/phone-client.js';
import { RawClient } from '../support/raw-client.js';
import { stanza } from '../../src/wire/nodes.js';
import { Stack } from '../support/stack.js';

let lastPhone = 4915550003000;
const newPhone = (): string => String(++lastPhone);

describe('messages to an account', () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await Stack.start();
  });
  afterAll(() => stack.close());

  const arrival = (client: PhoneClient, text: string) =>
    until(() => client.texts().find((message) => message.text === text), `"${text}" to arrive`);

  test('arrive as news, under both addresses of the contact, and are booked as delivered', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    await stack.post('/contacts', { phone: contact, name: 'Ann' });
    const id = await stack.write(contact, account, 'hi there');
    const { message, type } = await arrival(client, 'hi there');
    const { lid } = (await stack.get<{ lid: string }>(`/contacts/${contact}`)).body;
    expect(type).toBe('notify');
    expect(message.key).toMatchObject({ id, remoteJid: lid, remoteJidAlt: `${contact}@s.whatsapp.net` });
    expect(message.pushName).toBe('Ann');
    expect(await stack.becomes(contact, id, 'DELIVERED')).toMatchObject({ deliveries: 1, receipts: 1 });
  });

  test('become read when the client says so', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    const id = await stack.write(contact, account, 'read this');
    const { message } = await arrival(client, 'read this');
    await client.socket.readMessages([message.key]);
    await stack.becomes(contact, id, 'READ');
  });

  test('wait while the client is offline and then arrive as backlog, in order', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'the first sync');
    await client.stop();
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await stack.write(contact, account, text));
    expect(await stack.sentBy(contact, ids[0] ?? '')).toMatchObject({ status: 'QUEUED', deliveries: 0 });
    client.connect();
    await arrival(client, 'three');
    expect(client.texts().map(({ text, type }) => [text, type])).toEqual([
      ['one', 'append'],
      ['two', 'append'],
      ['three', 'append'],
    ]);
    for (const id of ids) await stack.becomes(contact, id, 'DELIVERED');
  });

  test('come again at every connection until the client confirms them', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'the first sync');
    await client.stop();
    const id = await stack.write(contact, account, 'please confirm');
    for (const times of [1, 2]) {
      const mute = new RawClient();
      await mute.resume(stack.simulator.websocket, client.credentials);
      const backlog = await mute.waitFor(({ tag }) => tag === 'message', 'the message');
      expect(backlog.attrs).toMatchObject({ id, offline: '1' });
      const end = await mute.waitFor(({ tag }) => tag === 'ib', 'the end of the backlog');
      expect(end.content).toEqual([{ tag: 'offline', attrs: { count: '1' } }]);
      mute.stop();
      expect(await stack.sentBy(contact, id)).toMatchObject({ status: 'SENT', deliveries: times });
    }
    client.connect();
    await arrival(client, 'please confirm');
    expect(await stack.becomes(contact, id, 'DELIVERED')).toMatchObject({ deliveries: 3, receipts: 1 });
    expect((await stack.account(account)).devices[0]?.queued).toBe(0);
  });

  test('are given up when the client refuses them because it has read them before', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'the first sync');
    await client.stop();
    const id = await stack.write(contact, account, 'read, then lost');
    client.connect({ makeSignalRepository: dyingAfterDecryption(() => client.socket) });
    await client.closed();
    expect((await stack.account(account)).devices[0]?.queued).toBe(1);
    client.connect();
    await until(async () => (await stack.account(account)).devices[0]?.queued === 0, 'the refusal');
    // The client never shows it: a user of this client has to save what it decrypts before it confirms.
    expect(client.texts().map(({ text }) => text)).not.toContain('read, then lost');
    expect(await stack.sentBy(contact, id)).toMatchObject({ status: 'SENT', deliveries: 2, receipts: 0 });
  });

  test('are encrypted anew for a client that has lost its sessions', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    await stack.write(contact, account, 'first');
    await arrival(client, 'first');
    await client.sendText(contact, 'answer');
    await stack.receivedBy(contact);
    await stack.write(contact, account, 'second');
    await arrival(client, 'second');
    const sessions = [...client.credentials.copyOf('session').keys()].map((key) => key.split('/')[1] ?? '');
    await client.credentials.keys.set({ session: Object.fromEntries(sessions.map((id) => [id, null])) });
    const id = await stack.write(contact, account, 'third');
    await arrival(client, 'third');
    expect(await stack.becomes(contact, id, 'DELIVERED')).toMatchObject({ deliveries: 2 });
    await stack.write(contact, account, 'fourth');
    await arrival(client, 'fourth');
  });

  test('may be anything the platform knows', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    const message = { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Office' } };
    await stack.post(`/contacts/${contact}/messages`, { to: account, message });
    const place = await until(
      () => client.upserts.flatMap(({ messages }) => messages).find((each) => each.message?.locationMessage),
      'the place',
    );
    expect(place.message?.locationMessage).toMatchObject(message.locationMessage);
  });

  test('reach every linked device', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const clients = [await stack.linked(account), await stack.linked(account)];
    await stack.write(contact, account, 'to all');
    for (const client of clients) await arrival(client, 'to all');
  });

  test('of a burst of fifty arrive all and in order', async () => {
    const [account, contact] = [newPhone(), newPhone()];
    const client = await stack.linked(account);
    const texts = Array.from({ length: 50 }, (_, number) => `question ${number}`);
    await Promise.all(texts.map((text) => stack.write(contact, account, text)));
    await until(() => client.texts().length === 50, 'all fifty');
    expect(
      client
        .texts()
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(texts.toSorted());
    const written = (await stack.get<{ items: { text: string }[] }>(`/contacts/${contact}/sent`)).body.items;
    expect(client.texts().map(({ text }) => text)).toEqual(written.map(({ text }) => text));
  });

  test('remind the client to upload keys when few are left', async () => {
    const account = newPhone();
    const client = await stack.linked(account);
    await client.stop();
    const few = new RawClient();
    await few.resume(stack.simulator.websocket, client.credentials);
    // Each bundle takes one of the 812 keys.
    const device = stanza('user', { jid: `${account}:1@s.whatsapp.net` });
    const bundles = stanza(
      'key',
      {},
      Array.from({ length: 808 }, () => device),
    );
    few.send(stanza('iq', { type: 'get', xmlns: 'encrypt', id: 'keys' }, [bundles]));
    const notice = await few.waitFor(({ tag }) => tag === 'notification', 'the reminder');
    expect(notice).toMatchObject({ attrs: { type: 'encrypt' }, content: [{ attrs: { value: '4' } }] });
    few.stop();
    client.connect();
    await client.opened();
    expect(client.complaints().map(({ message }) => message)).not.toContain(
      'failed to run digest after login',
    );
  });

  test('pass between two accounts, with receipts', async () => {
    const [ann, bob] = [newPhone(), newPhone()];
    const [anns, bobs] = [await stack.linked(ann), await stack.linked(bob)];
    const id = await anns.sendText(bob, 'hello Bob');
    const { message } = await arrival(bobs, 'hello Bob');
    expect(message.key.id).toBe(id);
    await bobs.socket.readMessages([message.key]);
    await until(() => anns.statusOf(id) === 4, 'the read receipt');
    await bobs.sendText(ann, 'hello Ann');
    await arrival(anns, 'hello Ann');
  });
});

type MakeRepository = typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository;

/** The client reads a contact's message, and dies before it can say so. */
const dyingAfterDecryption =
  (socket: () => WASocket): MakeRepository =>
  (...args) => {
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(...args);
    const decrypt = repository.decryptMessage.bind(repository);
    repository.decryptMessage = async (options) => {
      const plaintext = await decrypt(options);
      (socket().ws as unknown as { socket: { terminate(): void } }).socket.terminate();
      return plaintext;
    };
    return repository;
  };
