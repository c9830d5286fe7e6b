import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';
import { SecondClient } from './second-client.js';

const ACCOUNT = '4915550032000';
const [ANN, BOB] = ['4915550032100', '4915550032101'];

describe('a second, independent client talks', () => {
  let stack: Stack;
  let client: SecondClient;
  let lastContact = 4915550032200;
  const newContact = (): string => String(++lastContact);
  const addressOf = (phone: string): string => `${phone}@s.whatsapp.net`;

  beforeAll(async () => {
    stack = await Stack.start();
    client = await new SecondClient(stack).link(ACCOUNT);
  });
  afterAll(async () => {
    await client.stop();
    await stack.close();
  });

  const write = async (contact: string, body: object): Promise<string> =>
    (await stack.post<{ id: string }>(`/contacts/${contact}/messages`, { to: ACCOUNT, ...body })).body.id;

  test('hears a text, confirms it, and the contact is told when it is read', async () => {
    const contact = newContact();
    for (const text of ['hello', 'are you there?']) {
      const id = await write(contact, { text });
      const { message, chatJid = '' } = await client.messageOf(id);
      expect(message?.conversation).toBe(text);
      await stack.becomes(contact, id, 'DELIVERED');
      await client.zapo.sendReceipt({ to: chatJid, id, type: 'read' });
      await stack.becomes(contact, id, 'READ');
    }
  });

  test('writes a text, first and in answer, and is told that it was delivered and read', async () => {
    const contact = newContact();
    const { id, ack } = await client.zapo.sendMessage(addressOf(contact), 'good morning');
    expect(ack.error).toBeUndefined();
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, text: 'good morning', duplicates: 0 }]);
    await client.receiptFor(id);
    await stack.post(`/contacts/${contact}/read`, { from: ACCOUNT });
    await client.receiptFor(id, 'read');
    const asked = await write(contact, { text: 'Who is there?' });
    const { chatJid = '' } = await client.messageOf(asked);
    const answer = await client.zapo.sendMessage(chatJid, 'Your shop');
    expect(await stack.receivedBy(contact, 2)).toMatchObject([{ id }, { id: answer.id, text: 'Your shop' }]);
    await client.receiptFor(answer.id);
    await until(
      async () => (await stack.account(ACCOUNT)).devices[0]?.queued === 0,
      'the receipts to be acked',
    );
  });

  test('is told by the ack that a message was refused', async () => {
    const contact = newContact();
    await stack.put(`/accounts/${ACCOUNT}/faults`, { ackError: 463, count: 1 });
    const { ack } = await client.zapo.sendMessage(addressOf(contact), 'hello stranger');
    expect(ack.error).toBe(463);
    expect(await stack.received(contact)).toEqual([]);
  });

  test('asks again for what it cannot read', async () => {
    const contact = newContact();
    const id = await write(contact, { text: 'once more', flaws: { undecryptable: 1 } });
    expect((await client.messageOf(id)).message?.conversation).toBe('once more');
    await stack.becomes(contact, id, 'DELIVERED');
    const next = await write(contact, { text: 'and on' });
    expect((await client.messageOf(next)).message?.conversation).toBe('and on');
  });

  test('sends again what a contact could not read', async () => {
    const contact = newContact();
    await stack.put(`/contacts/${contact}/behaviour`, { unreadable: 1 });
    const { id } = await client.zapo.sendMessage(addressOf(contact), 'can you read this?');
    expect(await stack.receivedBy(contact)).toMatchObject([{ id, text: 'can you read this?' }]);
    await client.receiptFor(id);
  });

  test('hears a group and answers it', async () => {
    await stack.post('/contacts', { phone: ANN, name: 'Ann' });
    const members = [ANN, BOB, ACCOUNT];
    const group = (await stack.post<{ jid: string }>('/groups', { subject: 'Neighbours', members })).body.jid;
    for (const text of ['good morning', 'anybody up?']) {
      const id = await write(ANN, { to: undefined, group, text });
      const heard = await client.messageOf(id);
      expect([heard.message?.conversation, heard.chatJid, heard.isGroupChat]).toEqual([text, group, true]);
      await stack.becomes(ANN, id, 'DELIVERED');
    }
    const ids: string[] = [];
    for (const text of ['we are', 'since six']) {
      const { id, ack } = await client.zapo.sendMessage(group, text);
      expect(ack.error).toBeUndefined();
      ids.push(id);
    }
    for (const contact of [ANN, BOB]) {
      expect(await stack.receivedBy(contact, 2)).toMatchObject([
        { id: ids[0], text: 'we are', group },
        { id: ids[1], text: 'since six', group },
      ]);
    }
    for (const id of ids) expect((await client.receiptFor(id)).participantJid).toMatch(/@lid$/);
  });

  test('has nothing to complain of but what was broken on purpose', () => {
    const broken = /^failed to decrypt incoming message|retry/;
    expect(client.complaints().filter((text) => !broken.test(text))).toEqual([]);
  });
});
