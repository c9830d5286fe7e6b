import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const [SHOP, OFFICE] = ['4915550017000', '4915550017001'];
const [ANN, BOB, OUTSIDER] = ['4915550017100', '4915550017101', '4915550017102'];

describe('groups', () => {
  let stack: Stack;
  let client: PhoneClient;
  let office: PhoneClient;
  let jid: string;

  beforeAll(async () => {
    stack = await Stack.start();
    [client, office] = [await stack.linked(SHOP), await stack.linked(OFFICE)];
    await stack.post('/contacts', { phone: ANN, name: 'Ann' });
    const group = { subject: 'Neighbours', members: [ANN, BOB, SHOP, OFFICE] };
    jid = (await stack.post<{ jid: string }>('/groups', group)).body.jid;
  });
  afterAll(() => stack.close());

  const write = async (contact: string, body: object): Promise<string> =>
    (await stack.post<{ id: string }>(`/contacts/${contact}/messages`, { group: jid, ...body })).body.id;
  const arrived = (id: string, at = client) => until(() => at.messageOf(id), `${id} to arrive`);
  const lidOf = async (phone: string): Promise<string> =>
    (await stack.get<{ lid: string }>(`/contacts/${phone}`)).body.lid;

  test('a message of a contact reaches every account in the group, and says who wrote it', async () => {
    for (const text of ['good morning', 'anybody up?']) {
      const id = await write(ANN, { text });
      for (const reader of [client, office]) {
        const { key, message, pushName } = await arrived(id, reader);
        expect(key).toMatchObject({ remoteJid: jid, participant: await lidOf(ANN), fromMe: false });
        expect([message?.conversation, pushName]).toEqual([text, 'Ann']);
      }
      await until(async () => (await stack.sentBy(ANN, id)).receipts === 2, 'the receipts of both');
      expect((await stack.sentBy(ANN, id)).status).toBe('DELIVERED');
    }
  });

  test('an answer reaches every contact and every other account, with receipts of each', async () => {
    const ids = [];
    for (const text of ['we are', 'since six']) {
      const sent = await client.socket.sendMessage(jid, { text });
      ids.push(sent?.key.id ?? '');
    }
    for (const contact of [ANN, BOB]) {
      const received = await stack.receivedBy(contact, 2);
      expect(received).toMatchObject([
        { id: ids[0], text: 'we are', group: jid },
        { id: ids[1], text: 'since six', group: jid },
      ]);
    }
    for (const id of ids) {
      expect((await arrived(id, office)).message?.extendedTextMessage?.text).toBeTruthy();
      const receipts = () => client.frames.filter(({ tag, attrs }) => tag === 'receipt' && attrs.id === id);
      const [ann, bob] = [await lidOf(ANN), await lidOf(BOB)];
      await until(() => receipts().length >= 3, 'the receipts');
      const from = receipts().map(({ attrs }) => attrs.participant);
      expect(from).toEqual(expect.arrayContaining([ann, bob]));
    }
    await until(async () => (await stack.account(SHOP)).devices[0]?.queued === 0, 'the receipts to be acked');
  });

  test('a reply in the group names whom it answers', async () => {
    const asked = await client.socket.sendMessage(jid, { text: 'Who has the key?' });
    const id = asked?.key.id ?? '';
    await until(async () => (await stack.received(BOB)).some((each) => each.id === id), 'the question');
    const reply = await arrived(
      await write(BOB, { content: { type: 'text', text: 'I do', quotedKeyId: id } }),
    );
    expect(reply.message?.extendedTextMessage?.contextInfo).toMatchObject({
      stanzaId: id,
      participant: `${SHOP}@s.whatsapp.net`,
    });
    const reaction = await write(BOB, { content: { type: 'reaction', emoji: '🔑', targetKeyId: id } });
    expect((await arrived(reaction)).message?.reactionMessage?.key).toMatchObject({ id, fromMe: true });
  });

  test('a message that cannot be read is asked for, and comes again with the key', async () => {
    const id = await write(BOB, { text: 'once more', flaws: { undecryptable: 1 } });
    for (const reader of [client, office]) {
      expect((await arrived(id, reader)).message?.conversation).toBe('once more');
    }
    const next = await write(BOB, { text: 'and on' });
    expect((await arrived(next)).message?.conversation).toBe('and on');
  });

  test('a member without the key asks for it, and gets the message', async () => {
    const members = [OUTSIDER, SHOP];
    const other = (await stack.post<{ jid: string }>('/groups', { subject: 'Pair', members })).body.jid;
    const { lid } = (await stack.post<{ lid: string }>('/contacts', { phone: OUTSIDER })).body;
    // The client believes that the member has its key already.
    await client.credentials.keys.set({ 'sender-key-memory': { [other]: { [lid]: true } } });
    const sent = await client.socket.sendMessage(other, { text: 'can you read this?' });
    if (sent?.message) client.sentMessages.set(sent.key.id ?? '', sent.message);
    const received = await stack.receivedBy(OUTSIDER);
    expect(received).toMatchObject([{ id: sent?.key.id, text: 'can you read this?', group: other }]);
  });

  test('a client learns who is in its groups, and nothing about others', async () => {
    const { participants, subject } = await client.socket.groupMetadata(jid);
    expect(subject).toBe('Neighbours');
    expect(participants.map(({ phoneNumber }) => phoneNumber?.split('@')[0])).toEqual([
      ANN,
      BOB,
      SHOP,
      OFFICE,
    ]);
    expect(Object.keys(await client.socket.groupFetchAllParticipating())).toContain(jid);
    const foreign = await stack.post<{ jid: string }>('/groups', { subject: 'Others', members: [ANN] });
    await expect(client.socket.groupMetadata(foreign.body.jid)).rejects.toThrow('forbidden');
  });

  test('nobody writes to a group without belonging to it', async () => {
    const answer = await stack.post<{ code: string }>(`/contacts/4915550017199/messages`, {
      group: jid,
      text: 'x',
    });
    expect([answer.status, answer.body.code]).toEqual([404, 'GROUP_NOT_FOUND']);
    const both = await stack.post(`/contacts/${ANN}/messages`, { group: jid, to: SHOP, text: 'x' });
    expect(both.status).toBe(400);
  });
});
