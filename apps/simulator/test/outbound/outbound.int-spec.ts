import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550001000';
const DELIVERED = 3;
const READ = 4;

describe('messages of an account', () => {
  let stack: Stack;
  let client: PhoneClient;
  let lastContact = 4915550002000;
  const newContact = (): string => String(++lastContact);

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  test('arrive decrypted, once, under the id of the client', async () => {
    const contact = newContact();
    const id = await client.sendText(contact, 'Grüße 🌍');
    const [message] = await stack.receivedBy(contact);
    expect(message).toMatchObject({ id, from: ACCOUNT, text: 'Grüße 🌍', duplicates: 0 });
    expect(message?.message).toMatchObject({ extendedTextMessage: { text: 'Grüße 🌍' } });
  });

  test('are acknowledged by the platform first and then by the contact', async () => {
    const contact = newContact();
    const id = await client.sendText(contact, 'hello');
    await until(() => client.statusOf(id) === DELIVERED, 'the delivery receipt');
    const about = client.frames.filter(({ attrs }) => attrs.id === id).map(({ tag }) => tag);
    expect(about).toEqual(['ack', 'receipt']);
  });

  test('to a magic number end as the number says', async () => {
    const { body } = await stack.get('/magic-numbers');
    const { items } = body as { items: { phone: string; outcome: string }[] };
    const phoneOf = (outcome: string): string =>
      items.find((item) => item.outcome.startsWith(outcome))!.phone;
    const read = await client.sendText(phoneOf('SENT, DELIVERED, READ'), 'hello');
    await until(() => client.statusOf(read) === READ, 'the read receipt');
    const refused = await client.sendText(phoneOf('FAILED, REJECTED'), 'hello');
    const ack = () => client.frames.find(({ tag, attrs }) => tag === 'ack' && attrs.id === refused);
    expect((await until(ack, 'the ack')).attrs.error).toBe('406');
    expect(await stack.received(phoneOf('FAILED, REJECTED'))).toEqual([]);
  });

  test('are shown once when the same id is sent twice, and the repetition is counted', async () => {
    const contact = newContact();
    const id = await client.sendText(contact, 'only once', '3EB0AAAAAAAAAAAAAAAA');
    await stack.receivedBy(contact);
    await client.sendText(contact, 'only once', id);
    const [message] = await until(async () => {
      const items = await stack.received(contact);
      return items[0]?.duplicates === 1 && items;
    }, 'the repetition');
    expect(message).toMatchObject({ id, text: 'only once' });
    expect(await stack.received(contact)).toHaveLength(1);
    const acks = () => client.frames.filter(({ tag, attrs }) => tag === 'ack' && attrs.id === id);
    await until(() => acks().length === 2, 'the second ack');
    const { body } = await stack.get(`/messages/summary?from=${ACCOUNT}`);
    expect(body).toMatchObject({ duplicates: 1 });
  });

  test('arrive in order, fifty in a burst', async () => {
    const contact = newContact();
    const texts = Array.from({ length: 50 }, (_, number) => `message ${number}`);
    await Promise.all(texts.map((text) => client.sendText(contact, text)));
    const messages = await stack.receivedBy(contact, 50);
    expect(messages.map(({ text }) => text)).toEqual(texts);
  });

  test('are read in pages, from the last one back', async () => {
    const contact = newContact();
    const texts = Array.from({ length: 5 }, (_, number) => `message ${number}`);
    for (const text of texts) await client.sendText(contact, text);
    await stack.receivedBy(contact, 5);
    const page = async (query: string): Promise<{ id: string; text: string }[]> =>
      (await stack.get<{ items: { id: string; text: string }[] }>(`/contacts/${contact}/messages?${query}`))
        .body.items;
    const last = await page(`from=${ACCOUNT}&limit=3`);
    expect(last.map(({ text }) => text)).toEqual(texts.slice(2));
    const first = await page(`from=${ACCOUNT}&limit=3&before=${last[0]?.id}`);
    expect(first.map(({ text }) => text)).toEqual(texts.slice(0, 2));
    const unknown = await stack.get(`/contacts/${contact}/messages?before=nothing`);
    expect(unknown).toMatchObject({
      status: 400,
      body: { meta: { fields: { before: [expect.any(String)] } } },
    });
  });

  test('are read when the contact opens the chat', async () => {
    const contact = newContact();
    const ids = [await client.sendText(contact, 'one'), await client.sendText(contact, 'two')];
    await stack.receivedBy(contact, 2);
    const { body } = await stack.post(`/contacts/${contact}/read`, { from: ACCOUNT });
    expect(body).toEqual({ read: 2 });
    await until(() => ids.every((id) => client.statusOf(id) === READ), 'both to be read');
    expect((await stack.post(`/contacts/${contact}/read`, { from: ACCOUNT })).body).toEqual({ read: 0 });
  });

  test('are read a hundred to a receipt', async () => {
    const contact = newContact();
    const texts = Array.from({ length: 120 }, (_, number) => `message ${number}`);
    const ids = await Promise.all(texts.map((text) => client.sendText(contact, text)));
    await stack.receivedBy(contact, 120);
    const reads = () => client.frames.filter(({ tag, attrs }) => tag === 'receipt' && attrs.type === 'read');
    const before = reads().length;
    expect((await stack.post(`/contacts/${contact}/read`, { from: ACCOUNT })).body).toEqual({ read: 120 });
    await until(() => ids.every((id) => client.statusOf(id) === READ), 'all to be read');
    expect(reads().length - before).toBe(2);
    await until(async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0, 'all to be acked');
  });

  test('are read at once by a contact who reads everything', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { read: 'auto', readDelayMs: 20 });
    const id = await client.sendText(contact, 'read me');
    await until(() => client.statusOf(id) === READ, 'the read receipt');
  });

  test('get no receipt from a contact who is offline, and get it when the contact is back', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { online: false });
    const id = await client.sendText(contact, 'are you there?');
    await stack.receivedBy(contact);
    await client.sendText(newContact(), 'somebody else');
    expect(client.statusOf(id)).toBe(-1);
    await stack.put(`/contacts/${contact}/behaviour`, { online: true });
    await until(() => client.statusOf(id) === DELIVERED, 'the delivery receipt');
  });

  test('get no receipt from a contact who never gives one', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { delivered: 'never' });
    const id = await client.sendText(contact, 'silence');
    await stack.receivedBy(contact);
    const later = await client.sendText(newContact(), 'somebody else');
    await until(() => client.statusOf(later) === DELIVERED, 'the other receipt');
    expect(client.statusOf(id)).toBe(-1);
  });

  test('to a number that is not on the platform reach nobody', async () => {
    const contact = newContact();
    await stack.post('/contacts', { phone: contact, registered: false });
    const [answer] = (await client.socket.onWhatsApp(contact)) ?? [];
    expect(answer?.exists ?? false).toBe(false);
    const id = await client.sendText(contact, 'nobody home');
    await until(() => client.frames.some(({ tag, attrs }) => tag === 'ack' && attrs.id === id), 'the ack');
    expect(await stack.received(contact)).toEqual([]);
  });

  test('find any plausible number registered without it being made first', async () => {
    const contact = newContact();
    const answer = await client.socket.onWhatsApp(`+${contact}`);
    expect(answer).toEqual([{ jid: `${contact}@s.whatsapp.net`, exists: true }]);
  });

  test('to another spelling of a number reach nobody, and a look-up of it tells the own one of the account', async () => {
    const [contact, alias] = [newContact(), newContact()];
    const { body } = await stack.post('/contacts', { phone: contact, aliases: [alias] });
    expect(body).toMatchObject({ aliases: [alias] });
    const answers = await Promise.all([alias, contact].map((number) => client.socket.onWhatsApp(number)));
    const own = [{ jid: `${contact}@s.whatsapp.net`, exists: true }];
    expect(answers).toEqual([own, own]);
    const id = await client.sendText(alias, 'nobody of that spelling');
    await until(() => client.frames.some(({ tag, attrs }) => tag === 'ack' && attrs.id === id), 'the ack');
    expect(await stack.received(contact)).toEqual([]);
    await client.sendText(contact, 'the account');
    expect(await stack.receivedBy(contact)).toMatchObject([{ text: 'the account' }]);
  });

  test('are asked for again when the client has fallen back to an older session', async () => {
    const contact = newContact();
    await client.sendText(contact, 'first');
    await stack.receivedBy(contact);
    const before = client.credentials.copyOf('session');
    await client.sendText(contact, 'second');
    await stack.receivedBy(contact, 2);
    client.credentials.putBack(before);
    await client.sendText(contact, 'third');
    const messages = await stack.receivedBy(contact, 3);
    expect(messages.map(({ text, duplicates }) => ({ text, duplicates }))).toEqual([
      { text: 'first', duplicates: 0 },
      { text: 'second', duplicates: 0 },
      { text: 'third', duplicates: 0 },
    ]);
    const retries = client.frames.filter(({ tag, attrs }) => tag === 'receipt' && attrs.type === 'retry');
    expect(retries).toHaveLength(1);
    await client.sendText(contact, 'fourth');
    await stack.receivedBy(contact, 4);
  });

  test('may be addressed to the other id of a contact, as answers to its messages are', async () => {
    const contact = newContact();
    await stack.write(contact, ACCOUNT, 'a question');
    const question = await until(
      () => client.texts().find(({ text }) => text === 'a question'),
      'the question',
    );
    client.logs.length = 0;
    const sent = await client.socket.sendMessage(question.message.key.remoteJid ?? '', { text: 'an answer' });
    const id = sent?.key.id ?? '';
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, text: 'an answer', duplicates: 0 }]);
    await until(() => client.statusOf(id) === DELIVERED, 'the delivery receipt');
    expect(client.complaints()).toEqual([]);
  });

  test('get no receipt from a contact who goes offline before it is due', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { deliveredDelayMs: 1_000 });
    const id = await client.sendText(contact, 'too late');
    await stack.receivedBy(contact);
    await stack.put(`/contacts/${contact}/behaviour`, { online: false });
    const other = newContact();
    await stack.put(`/contacts/${other}/behaviour`, { deliveredDelayMs: 1_100 });
    const later = await client.sendText(other, 'in time');
    await until(() => client.statusOf(later) === DELIVERED, 'the other receipt');
    expect(client.statusOf(id)).toBe(-1);
  });

  test('to the own number are notes to self', async () => {
    await client.sendText(ACCOUNT, 'buy milk');
    const [note] = await stack.receivedBy(ACCOUNT);
    expect(note).toMatchObject({ text: 'buy milk', duplicates: 0 });
  });
});
