import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  MESSAGE_BODY_TYPES,
  type MessageBody,
  type MessageMedia,
  type MessageReceivedV1,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { LONG_MS, type Stage } from '../support.js';
import { WorkerProcess } from '../worker-process.js';

const phone = '15550106000';
const contact = '15550206000';
const FILE = Buffer.from('a file that a contact sends'.repeat(5_000));
const media = { base64: FILE.toString('base64') };
const sha256 = createHash('sha256').update(FILE).digest('hex');

let stage: Stage;
let worker: WorkerProcess;
let sessionId: string;

beforeAll(async () => {
  ({ stage, worker } = await WorkerProcess.stage());
  sessionId = await stage.link(phone);
});
afterAll(() => stage.stop());

/** Writes a message and waits for its event. */
async function written(message: object, from = contact): Promise<MessageReceivedV1> {
  const body = { to: phone, ...message };
  const { id } = await stage.platform.call<{ id: string }>('POST', `/contacts/${from}/messages`, body);
  return received(id);
}

function received(keyId: string): Promise<MessageReceivedV1> {
  const find = () => stage.eventsOf('message.received', sessionId).find((data) => data['keyId'] === keyId);
  return waitFor('message.received', find, LONG_MS) as Promise<unknown> as Promise<MessageReceivedV1>;
}

const storedFile = ({ mediaId }: MessageMedia): Promise<Buffer> =>
  readFile(join(worker.mediaDir, mediaId.slice(0, 2), mediaId));

/** Contents that are written, in the terms of the simulator, with the bodies that tenants get. */
const KINDS: [string, object, MessageBody][] = [
  ['a text', { type: 'text', text: 'Hi' }, { type: 'text', text: 'Hi' }],
  [
    'an image',
    { type: 'image', caption: 'c', mimeType: 'image/png', media },
    { type: 'image', caption: 'c', mimeType: 'image/png' },
  ],
  [
    'a video',
    { type: 'video', caption: 'c', seconds: 3, media },
    { type: 'video', caption: 'c', mimeType: 'video/mp4', seconds: 3, isPtv: false },
  ],
  [
    'a round video',
    { type: 'video', isPtv: true, seconds: 3, media },
    { type: 'video', mimeType: 'video/mp4', seconds: 3, isPtv: true },
  ],
  [
    'an audio',
    { type: 'audio', mimeType: 'audio/mpeg', seconds: 9, media },
    { type: 'audio', mimeType: 'audio/mpeg', seconds: 9, isPtt: false },
  ],
  [
    'a voice note',
    { type: 'audio', isPtt: true, seconds: 2, media },
    { type: 'audio', mimeType: 'audio/ogg; codecs=opus', seconds: 2, isPtt: true },
  ],
  [
    'a document',
    { type: 'document', filename: 'offer.pdf', mimeType: 'application/pdf', pageCount: 2, media },
    { type: 'document', filename: 'offer.pdf', mimeType: 'application/pdf', pageCount: 2 },
  ],
  [
    'a document with a caption',
    { type: 'document', filename: 'offer.pdf', caption: 'Here', media },
    { type: 'document', filename: 'offer.pdf', mimeType: 'application/octet-stream', caption: 'Here' },
  ],
  [
    'a sticker',
    { type: 'sticker', isAnimated: true, media },
    { type: 'sticker', mimeType: 'image/webp', isAnimated: true },
  ],
  [
    'a location',
    { type: 'location', latitude: 52.5, longitude: 13.4, name: 'n', address: 'a' },
    { type: 'location', latitude: 52.5, longitude: 13.4, name: 'n', address: 'a' },
  ],
  [
    'a contact',
    { type: 'contact', contacts: [{ displayName: 'Ada' }] },
    { type: 'contact', displayName: 'Ada', count: 1 },
  ],
  [
    'several contacts',
    { type: 'contact', contacts: [{ displayName: 'Ada' }, { displayName: 'Bo' }] },
    { type: 'contact', displayName: 'Ada', count: 2 },
  ],
  [
    'a poll',
    { type: 'poll', name: 'Lunch?', options: ['yes', 'no'] },
    { type: 'poll', name: 'Lunch?', options: ['yes', 'no'] },
  ],
  [
    'a reaction',
    { type: 'reaction', emoji: '👍', targetKeyId: '3EB0C0FFEE' },
    { type: 'reaction', emoji: '👍', targetKeyId: '3EB0C0FFEE' },
  ],
  [
    'a picture to look at once',
    { type: 'image', viewOnce: true, media },
    { type: 'view_once', inner: { type: 'image', mimeType: 'image/jpeg' } },
  ],
];

test.each(KINDS)('%s is told as what it is, with its file', async (_what, content, body) => {
  const event = await written({ content });
  const chat = `${contact}@s.whatsapp.net`;
  expect(event).toMatchObject({ remoteJid: chat, chatId: chat, isGroup: false, fromMe: false });
  expect(event.body).toEqual(body);
  if (!('media' in content)) return expect(event.media).toBeUndefined();
  expect(event.media).toEqual({
    ...{ mediaId: event.messageId, status: 'STORED', size: FILE.length, sha256, reason: null },
    mimeType: body.mimeType ?? body.inner?.mimeType,
  });
  expect(await storedFile(event.media as MessageMedia)).toEqual(FILE);
});

test('what no kind fits is told as unsupported', async () => {
  const message = { paymentInviteMessage: { serviceType: 1 } };
  expect((await written({ message })).body).toEqual({
    type: 'unsupported',
    original: 'paymentInviteMessage',
  });
});

test('every kind of the specification is among them', () => {
  const types = new Set(KINDS.map(([, , { type }]) => type));
  expect(MESSAGE_BODY_TYPES.filter((type) => !types.has(type))).toEqual(['unsupported']);
});

describe('a message about another one', () => {
  test('names the one it answers, and what that said', async () => {
    const first = await written({ text: 'Are you open?' });
    const answer = await written({ content: { type: 'text', text: 'Hello?', quotedKeyId: first.keyId } });
    expect(answer.body).toEqual({ type: 'text', text: 'Hello?' });
    expect(answer.quoted).toEqual({
      keyId: first.keyId,
      remoteJid: `${contact}@s.whatsapp.net`,
      body: { type: 'text', text: 'Are you open?' },
    });
  });

  test('names the people in it', async () => {
    const event = await written({ content: { type: 'text', text: 'Ask @Bo', mentions: ['15550206009'] } });
    expect(event.mentions).toEqual(['15550206009@s.whatsapp.net']);
    expect(event).not.toHaveProperty('mentionsMe');
  });

  test.each(['phone', 'hidden'])('says that it names the own number, by its %s address', async (kind) => {
    const own = `${phone}@s.whatsapp.net`;
    const { lid } = await stage.platform.call<{ lid: string }>('GET', `/accounts/${phone}`);
    const mentionedJid = ['15550206009@s.whatsapp.net', kind === 'phone' ? own : lid];
    const text = { text: 'Ask @Bo and @shop', contextInfo: { mentionedJid } };
    const event = await written({ message: { extendedTextMessage: text } });
    expect(event).toMatchObject({ mentions: ['15550206009@s.whatsapp.net', own], mentionsMe: true });
  });

  test('says what it says instead, when it was edited', async () => {
    const { keyId } = await written({ text: 'Tusday' });
    const event = await written({ content: { type: 'edit', text: 'Tuesday', targetKeyId: keyId } });
    expect(event).toMatchObject({
      body: { type: 'text', text: 'Tuesday' },
      change: { kind: 'EDITED', keyId },
    });
  });

  test('says that it was taken back', async () => {
    const { keyId } = await written({ text: 'Forget it' });
    const event = await written({ content: { type: 'revoke', targetKeyId: keyId } });
    expect(event).toMatchObject({
      body: { type: 'unsupported', original: 'protocolMessage' },
      change: { kind: 'REVOKED', keyId },
    });
  });
});

describe('a message in a group', () => {
  let group: string;
  const author = '15550206001';

  beforeAll(async () => {
    const members = [contact, phone, author];
    ({ jid: group } = await stage.platform.call<{ jid: string }>('POST', '/groups', {
      subject: 'g',
      members,
    }));
  });
  const writeInGroup = (message: object): Promise<MessageReceivedV1> =>
    written({ to: undefined, group, ...message }, author);

  test('names its author and the group, and can be answered', async () => {
    const first = await writeInGroup({ text: 'Hello all' });
    expect(first).toMatchObject({
      ...{ remoteJid: `${author}@s.whatsapp.net`, phone: `+${author}`, chatId: group, isGroup: true },
      body: { type: 'text', text: 'Hello all' },
    });
    const jobId = await stage.send(sessionId, group, 'Hello Ada');
    await stage.event('message.sent', jobId);
    const inbox = () => stage.platform.inbox(author);
    await waitFor(
      'the answer',
      async () => (await inbox()).some(({ text }) => text === 'Hello Ada'),
      LONG_MS,
    );
    expect((await writeInGroup({ text: 'again' })).body).toEqual({ type: 'text', text: 'again' });
  });

  test('brings its file', async () => {
    const { media: facts } = await writeInGroup({ content: { type: 'image', media } });
    expect(facts).toMatchObject({ status: 'STORED', sha256 });
  });

  test.each([
    ['could not be read at first', { undecryptable: 1 }],
    ['comes twice', { copies: 2 }],
  ])('that %s is told once', async (_what, flaws) => {
    const { keyId } = await writeInGroup({ text: 'whole', flaws });
    const { keyId: witness } = await writeInGroup({ text: 'after it' });
    const ids = stage.eventsOf('message.received', sessionId).map((data) => data['keyId']);
    expect(ids.filter((id) => id === keyId)).toHaveLength(1);
    expect(ids).toContain(witness);
  });

  test('leaves nothing of the key of its author in the journal', async () => {
    const rows = await worker.database.query<{ sender: string; plaintext: Buffer }>(
      `SELECT sender, plaintext FROM sessions.inbound_message WHERE sender LIKE '%@g.us|%'`,
    );
    expect(rows.length).toBeGreaterThan(4);
    // A sender key alone has 32 bytes of chain key and 33 of signature key.
    const keyParts = rows.filter(({ sender }) => sender.endsWith('|key'));
    for (const { plaintext } of keyParts) expect(plaintext.length).toBeLessThan(40);
  });
});
