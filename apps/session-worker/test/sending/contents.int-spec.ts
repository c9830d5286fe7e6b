import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MessageBody, OutboundContent } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { keyIdOf, LONG_MS, type Received, Stage } from '../support.js';

let stage: Stage;
const phone = '15550103000';
let sessionId: string;

beforeAll(async () => {
  stage = await Stage.start();
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

/** The message as the contact has it. */
const arrived = (contact: string, id: string): Promise<Received> =>
  waitFor(
    `${id} to arrive`,
    async () => (await stage.platform.inbox(contact)).find((one) => one.id === id),
    LONG_MS,
  );

const sent = async (to: string, content: string | OutboundContent): Promise<string> =>
  keyIdOf(await stage.send(sessionId, to, content));

const KINDS: [OutboundContent, object][] = [
  [
    {
      type: 'location',
      location: { latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Main Street 1' },
    },
    { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Main Street 1' },
  ],
  [
    { type: 'contact', contact: { displayName: 'Lovelace; Ada', phone: '+4915550003000' } },
    { type: 'contact', contacts: [{ displayName: 'Lovelace; Ada', phone: '4915550003000' }] },
  ],
  [
    { type: 'poll', poll: { name: 'Lunch?', options: ['yes', 'no'] } },
    { type: 'poll', name: 'Lunch?', options: ['yes', 'no'] },
  ],
  [
    { type: 'text', text: 'Hello @15550203099', mentions: ['15550203099@s.whatsapp.net'] },
    { type: 'text', text: 'Hello @15550203099', mentions: ['15550203099'] },
  ],
];

test.each(KINDS)('a contact receives %j in the same words', async (content, received) => {
  const contact = '15550203001';
  const jobId = await stage.send(sessionId, contact, content);
  expect((await arrived(contact, keyIdOf(jobId))).content).toEqual(received);
  await stage.event('message.delivered', jobId);
});

test('a poll lets its readers choose one answer, or several where that was asked for', async () => {
  const contact = '15550203002';
  const poll = { name: 'Lunch?', options: ['yes', 'no', 'maybe'] };
  const one = await arrived(contact, await sent(contact, { type: 'poll', poll }));
  expect(one.message).toMatchObject({ pollCreationMessageV3: { selectableOptionsCount: 1 } });
  const several = await arrived(
    contact,
    await sent(contact, { type: 'poll', poll: { ...poll, multiple: true } }),
  );
  expect(several.message).toMatchObject({ pollCreationMessage: { selectableOptionsCount: 0 } });
});

test('an own message is reacted to, edited and deleted at the contact', async () => {
  const contact = '15550203003';
  const keyId = await sent(contact, 'frist');
  const target = { keyId, fromMe: true };
  const changes: [OutboundContent, object][] = [
    [
      { type: 'reaction', emoji: '👍', target },
      { type: 'reaction', emoji: '👍', targetKeyId: keyId },
    ],
    [
      { type: 'reaction', emoji: '', target },
      { type: 'reaction', emoji: '', targetKeyId: keyId },
    ],
    [
      { type: 'edit', text: 'first', target },
      { type: 'edit', text: 'first', targetKeyId: keyId },
    ],
    [
      { type: 'delete', target },
      { type: 'revoke', targetKeyId: keyId },
    ],
  ];
  for (const [content, received] of changes) {
    const jobId = await stage.send(sessionId, contact, content);
    expect((await arrived(contact, keyIdOf(jobId))).content).toEqual(received);
    await stage.event('message.delivered', jobId);
  }
});

test('an answer shows what it answers: a text of the contact, and an own place on the map', async () => {
  const contact = '15550203004';
  const { id: asked } = await stage.platform.call<{ id: string }>('POST', `/contacts/${contact}/messages`, {
    to: phone,
    text: 'Which size?',
  });
  const quote = (keyId: string, fromMe: boolean, body: MessageBody): OutboundContent => ({
    type: 'text',
    text: 'Large',
    quoted: { keyId, fromMe, body },
  });
  const answer = await arrived(
    contact,
    await sent(contact, quote(asked, false, { type: 'text', text: 'Which size?' })),
  );
  expect(answer.content).toEqual({ type: 'text', text: 'Large', quotedKeyId: asked });
  expect(answer.message).toMatchObject({
    extendedTextMessage: {
      contextInfo: {
        participant: `${contact}@s.whatsapp.net`,
        quotedMessage: { conversation: 'Which size?' },
      },
    },
  });
  const place: MessageBody = { type: 'location', latitude: 52.5, longitude: 13.4, name: 'Office' };
  const own = await arrived(contact, await sent(contact, quote('3EB0AA', true, place)));
  expect(own.message).toMatchObject({
    extendedTextMessage: {
      contextInfo: {
        participant: `${phone}@s.whatsapp.net`,
        quotedMessage: { locationMessage: { name: 'Office' } },
      },
    },
  });
});

test('members of a group receive what is sent there; a group of others refuses it with the reason', async () => {
  const members = ['15550203005', '15550203006'];
  const create = (people: string[]) =>
    stage.platform.call<{ jid: string }>('POST', '/groups', { subject: 'Neighbours', members: people });
  const ours = await create([...members, phone]);
  const jobId = await stage.send(sessionId, ours.jid, {
    type: 'poll',
    poll: { name: 'When?', options: ['1', '2'] },
  });
  for (const member of members)
    expect(await arrived(member, keyIdOf(jobId))).toMatchObject({
      group: ours.jid,
      content: { name: 'When?' },
    });
  await stage.event('message.delivered', jobId);

  const theirs = await create(members);
  const refused = await stage.send(sessionId, theirs.jid, 'May I come in?');
  expect(await stage.event('message.failed', refused)).toMatchObject({ failure: { code: 'NOT_IN_GROUP' } });
});

/** Asks for a message again, as a phone that cannot read it. */
const askAgain = (contact: string, id: string): Promise<unknown> =>
  stage.platform.call('POST', `/accounts/${phone}/stanzas`, {
    stanza: {
      tag: 'receipt',
      attrs: { id, from: `${contact}@s.whatsapp.net`, type: 'retry', t: '1760000000' },
      content: [{ tag: 'retry', attrs: { count: '1', id, t: '1760000000', v: '1' } }],
    },
  });

test('a message that is asked for again is the same one, whatever its kind, also on another socket', async () => {
  const target = { keyId: '3EB0BB', fromMe: false };
  const contents: [OutboundContent, object][] = [
    ...KINDS,
    [
      { type: 'reaction', emoji: '👍', target },
      { type: 'reaction', emoji: '👍', targetKeyId: '3EB0BB' },
    ],
    [
      { type: 'edit', text: 'better', target },
      { type: 'edit', text: 'better', targetKeyId: '3EB0BB' },
    ],
  ];
  const first = '15550203007';
  const ids = await Promise.all(contents.map(([content]) => sent(first, content)));
  const before = await Promise.all(ids.map((id) => arrived(first, id)));
  const logins = (): number => stage.eventsOf('session.connected', sessionId).length;
  const loginsBefore = logins();
  await stage.platform.call('POST', `/accounts/${phone}/disconnect`, { mode: 'drop' });
  await waitFor('another login', () => logins() > loginsBefore, LONG_MS);
  // Another contact asks: the one that has the message would get the first copy from the platform.
  const other = '15550203008';
  for (const id of ids) await askAgain(other, id);
  for (const [n, id] of ids.entries()) {
    const again = await arrived(other, id);
    expect(again.content).toEqual(contents[n]?.[1]);
    expect(again.message).toEqual(before[n]?.message);
  }
});
