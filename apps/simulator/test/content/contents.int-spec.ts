import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyMessageContent, getContentType, normalizeMessageContent } from '@whiskeysockets/baileys';
import { type PhoneClient, until } from '../support/phone-client.js';
import { Stack } from '../support/stack.js';

const ACCOUNT = '4915550012000';
const VCARD =
  'BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nTEL;type=CELL;waid=4915550003000:+49 155 50003000\nEND:VCARD';

describe('kinds of content', () => {
  let stack: Stack;
  let client: PhoneClient;
  let lastContact = 4915550012100;
  const newContact = (): string => String(++lastContact);

  beforeAll(async () => {
    stack = await Stack.start();
    client = await stack.linked(ACCOUNT);
  });
  afterAll(() => stack.close());

  const post = (contact: string, body: object) =>
    stack.post<{ id: string; meta: { fields: object } }>(`/contacts/${contact}/messages`, {
      to: ACCOUNT,
      ...body,
    });
  const write = async (contact: string, content: object, more: object = {}): Promise<string> =>
    (await post(contact, { content, ...more })).body.id;
  const arrived = (id: string) => until(() => client.messageOf(id), `${id} to arrive`);

  const CARDS = [{ displayName: 'Ada', phone: '4915550003000' }, { displayName: 'Bob' }];
  test.each<[string, object, string, object]>([
    ['text', { text: 'hello' }, 'conversation', {}],
    ['image', { caption: 'c', media: { size: 9 } }, 'imageMessage', { caption: 'c', mimetype: 'image/jpeg' }],
    ['video', { seconds: 3, media: { size: 9 } }, 'videoMessage', { seconds: 3 }],
    ['video', { isPtv: true, media: { size: 9 } }, 'ptvMessage', {}],
    ['audio', { isPtt: true, seconds: 4, media: { size: 9 } }, 'audioMessage', { ptt: true, seconds: 4 }],
    [
      'document',
      { filename: 'a.pdf', pageCount: 2, media: { size: 9 } },
      'documentMessage',
      { fileName: 'a.pdf' },
    ],
    ['document', { caption: 'c', media: { size: 9 } }, 'documentMessage', { caption: 'c' }],
    ['sticker', { isAnimated: true, media: { size: 9 } }, 'stickerMessage', { isAnimated: true }],
    ['location', { latitude: 52.5, longitude: 13.4, name: 'Office' }, 'locationMessage', { name: 'Office' }],
    ['contact', { contacts: CARDS.slice(0, 1) }, 'contactMessage', { displayName: 'Ada' }],
    ['contact', { contacts: CARDS }, 'contactsArrayMessage', { displayName: '2 contacts' }],
    ['poll', { name: 'Lunch?', options: ['yes', 'no'] }, 'pollCreationMessageV3', { name: 'Lunch?' }],
    ['image', { viewOnce: true, media: { size: 9 } }, 'imageMessage', {}],
  ])('a contact sends %s %j as %s', async (type, fields, kind, expected) => {
    const id = await write(newContact(), { type, ...fields });
    const content = normalizeMessageContent((await arrived(id)).message);
    expect(getContentType(content)).toBe(kind);
    if (kind !== 'conversation') expect(content?.[kind as keyof typeof content]).toMatchObject(expected);
  });

  test('what may be seen once comes in an envelope that says so', async () => {
    const id = await write(newContact(), { type: 'image', viewOnce: true, media: { size: 9 } });
    expect((await arrived(id)).message?.viewOnceMessageV2?.message?.imageMessage).toBeTruthy();
  });

  test('a reply carries what it answers, and names people', async () => {
    const contact = newContact();
    const asked = await client.sendText(contact, 'Which size?');
    await stack.receivedBy(contact);
    const mentions = [ACCOUNT];
    const id = await write(contact, { type: 'text', text: 'Large', quotedKeyId: asked, mentions });
    const { contextInfo } = (await arrived(id)).message?.extendedTextMessage ?? {};
    expect(contextInfo).toMatchObject({
      stanzaId: asked,
      participant: `${ACCOUNT}@s.whatsapp.net`,
      quotedMessage: { extendedTextMessage: { text: 'Which size?' } },
      mentionedJid: [`${ACCOUNT}@s.whatsapp.net`],
    });
  });

  test('a reaction of the contact is about our message, and can be taken back', async () => {
    const contact = newContact();
    const ours = await client.sendText(contact, 'Sold!');
    await stack.receivedBy(contact);
    for (const emoji of ['👍', '']) {
      const id = await write(contact, { type: 'reaction', emoji, targetKeyId: ours });
      const { reactionMessage } = (await arrived(id)).message ?? {};
      expect(reactionMessage).toMatchObject({ text: emoji, key: { id: ours, fromMe: true } });
    }
  });

  test('an edit and a revocation change what the contact wrote', async () => {
    const contact = newContact();
    const first = await write(contact, { type: 'text', text: 'two o’clock' });
    await arrived(first);
    await write(contact, { type: 'edit', text: 'three o’clock', targetKeyId: first });
    const edited = await until(() => client.updates.find(({ key }) => key.id === first), 'the edit');
    expect(edited.update.message?.editedMessage?.message?.conversation).toBe('three o’clock');
    await write(contact, { type: 'revoke', targetKeyId: first });
    await until(
      () => client.updates.find(({ key, update }) => key.id === first && update.message === null),
      'the revocation',
    );
  });

  test.each<[string, AnyMessageContent, object]>([
    ['text', { text: 'hi' }, { type: 'text', text: 'hi' }],
    [
      'location',
      { location: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Office', address: 'Road 1' } },
      { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Road 1' },
    ],
    [
      'contact',
      { contacts: { displayName: 'Ada', contacts: [{ displayName: 'Ada', vcard: VCARD }] } },
      { type: 'contact', contacts: [{ displayName: 'Ada', phone: '4915550003000' }] },
    ],
    ['poll', { poll: { name: 'Lunch?', values: ['yes', 'no'] } }, { type: 'poll', options: ['yes', 'no'] }],
    [
      'mentions',
      { text: 'hi @Ann', mentions: ['4915550003000@s.whatsapp.net'] },
      { type: 'text', mentions: ['4915550003000'] },
    ],
  ])('a contact receives %s and shows it in the words it would write', async (_what, content, expected) => {
    const contact = newContact();
    await client.socket.sendMessage(`${contact}@s.whatsapp.net`, content);
    const [received] = await stack.receivedBy(contact);
    expect(received?.content).toMatchObject(expected);
  });

  test('a contact names content that it does not know', async () => {
    const contact = newContact();
    const groupInviteMessage = { groupJid: '1@g.us', inviteCode: 'code', groupName: 'Friends' };
    await client.socket.relayMessage(`${contact}@s.whatsapp.net`, { groupInviteMessage }, {});
    const [received] = await stack.receivedBy(contact);
    expect(received?.content).toEqual({ type: 'unsupported', original: 'groupInviteMessage' });
  });

  test('a contact receives replies, reactions, edits and revocations', async () => {
    const contact = newContact();
    const jid = `${contact}@s.whatsapp.net`;
    const theirs = await arrived(await write(contact, { type: 'text', text: 'hello?' }));
    const ours = await client.socket.sendMessage(jid, { text: 'hello!' }, { quoted: theirs });
    await client.socket.sendMessage(jid, { react: { text: '👋', key: theirs.key } });
    await client.socket.sendMessage(jid, { text: 'Hello!', edit: ours?.key });
    await client.socket.sendMessage(jid, { delete: ours?.key ?? {} });
    const received = await stack.receivedBy(contact, 4);
    const [theirId, ourId] = [theirs.key.id, ours?.key.id];
    expect(received.map(({ content }) => content)).toEqual([
      { type: 'text', text: 'hello!', quotedKeyId: theirId },
      { type: 'reaction', emoji: '👋', targetKeyId: theirId },
      { type: 'edit', text: 'Hello!', targetKeyId: ourId },
      { type: 'revoke', targetKeyId: ourId },
    ]);
  });

  test.each<['pn' | 'pn-only' | 'lid', boolean]>([
    ['pn', true],
    ['pn-only', true],
    ['lid', false],
  ])('a contact may write under either address (%s)', async (addressing, byNumber) => {
    const contact = newContact();
    const id = await write(contact, { type: 'text', text: 'it is me' }, { addressing });
    const { key } = await arrived(id);
    const { lid } = (await stack.get<{ lid: string }>(`/contacts/${contact}`)).body;
    const [pn, other] = [`${contact}@s.whatsapp.net`, addressing === 'pn-only' ? undefined : lid];
    expect(key).toMatchObject({ remoteJid: byNumber ? pn : lid });
    if (addressing !== 'pn-only') expect(key.remoteJidAlt).toBe(byNumber ? other : pn);
  });

  test.each<[object, string]>([
    [{ content: { type: 'image' } }, 'content.media'],
    [{ content: { type: 'text' } }, 'content.text'],
    [{ content: { type: 'poll', name: 'Lunch?' } }, 'content.options'],
    [{ content: { type: 'text', text: 'x', media: { size: 1 } } }, 'content.media'],
    [{ content: { type: 'image', media: {} } }, 'content.media'],
    [{ content: { type: 'song' } }, 'content.type'],
    [{ text: 'x', content: { type: 'text', text: 'x' } }, 'text'],
    [{}, 'text'],
    [{ text: 'x', addressing: 'name' }, 'addressing'],
  ])('refuses %j, naming %s', async (body, field) => {
    const answer = await post(newContact(), body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.meta.fields)).toContain(field);
  });
});
