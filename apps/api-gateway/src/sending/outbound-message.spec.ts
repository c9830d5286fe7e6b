import { describe, expect, test } from '@jest/globals';
import type { SendMessageRequest } from '@svc/contracts';
import type { StoredUpload } from '../media/uploads.service.js';
import type { Message } from '../messages/message.entity.js';
import { withUpload } from './drafts/media.js';
import { contentOf, type OutboundMessage, outboundMessageOf, storedContentOf } from './outbound-message.js';
import { withRelated } from './related-message.js';

const TENANT = '0198c0de-0000-7000-8000-000000000001';
const SESSION = '0198c0de-0000-7000-8000-0000000000aa';
const NAMED = '0198c0de-0000-7000-8000-000000000003';
const CONTACT = '15550001111@s.whatsapp.net';

const messageOf = (fields: Partial<SendMessageRequest>): OutboundMessage =>
  frozen(outboundMessageOf(TENANT, { sessionId: SESSION, to: '+1 555 000 1111', ...fields }));

/** Freezes a value: in strict mode a change throws. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

const named = { id: NAMED, sessionId: SESSION, contact: CONTACT, keyId: 'KEY', status: 'RECEIVED' };
const aText = { ...named, direction: 'INBOUND', body: { type: 'text', text: 'Hi' }, relatesTo: null };

test('a request becomes a message of one session and one contact, as the platform writes them', () => {
  const message = outboundMessageOf(TENANT, {
    sessionId: SESSION.toUpperCase(),
    to: '+15550001111',
    text: 'x',
  });
  expect(message).toMatchObject({ tenantId: TENANT, sessionId: SESSION, contact: CONTACT, relatesTo: null });
});

test('the same clientMessageId of a tenant is the same job, and of another tenant another one', () => {
  const idOf = (tenantId: string, clientMessageId?: string) =>
    outboundMessageOf(tenantId, { sessionId: SESSION, to: CONTACT, text: 'x', clientMessageId }).id;
  expect(idOf(TENANT, 'one')).toBe(idOf(TENANT, 'one'));
  expect(idOf(TENANT, 'one')).not.toBe(idOf(SESSION, 'one'));
  expect(idOf(TENANT)).not.toBe(idOf(TENANT));
});

describe('a message that names another', () => {
  test('quotes what it answers, and is itself as it was', () => {
    const message = messageOf({ text: 'x', replyTo: NAMED });
    expect(withRelated(message, aText as Message)).toMatchObject({
      content: { text: 'x', quoted: { keyId: 'KEY', fromMe: false, body: { text: 'Hi' } } },
      relatesTo: { relation: 'REPLY', messageId: NAMED },
    });
    expect(message).toMatchObject({ content: { type: 'text', text: 'x' }, relatesTo: null });
    expect(message.content).not.toHaveProperty('quoted');
  });

  test('points at what it reacts to, for the worker and for readers', () => {
    const message = messageOf({ reaction: { messageId: NAMED, emoji: '👍' } });
    expect(withRelated(message, aText as Message)).toMatchObject({
      content: { target: { keyId: 'KEY' } },
      body: { targetKeyId: 'KEY' },
    });
  });

  test('of another chat is refused', () => {
    const message = messageOf({ text: 'x', replyTo: NAMED });
    const other = { ...aText, contact: '15550002222@s.whatsapp.net' } as Message;
    expect(() => withRelated(message, other)).toThrow('replyTo must be the id of a message in this chat');
  });
});

test('a file has the type of its upload, unless the request says another, and the draft is as it was', () => {
  const upload = { mimeType: 'application/pdf', filename: 'a.pdf', size: 3 } as StoredUpload;
  const plain = messageOf({ media: { kind: 'document', mediaId: NAMED } });
  expect(withUpload(plain, upload)).toMatchObject({
    content: { media: { mediaId: NAMED, mimeType: 'application/pdf', filename: 'a.pdf' } },
    body: { mimeType: 'application/pdf', filename: 'a.pdf' },
  });
  expect(plain.content.media?.mimeType).toBeUndefined();
  const named = messageOf({ media: { kind: 'document', mediaId: NAMED, filename: 'b.pdf' } });
  expect(withUpload(named, upload).content.media?.filename).toBe('b.pdf');
});

test.each([
  ['caption', ['image', 'video', 'document'], 'media.caption is not for'],
  ['filename', ['document'], 'media.filename is not for'],
  ['voice', ['audio'], 'media.voice is for audio only'],
])('a file has a %s where its kind has one: %j', (field, kinds, words) => {
  const value = field === 'voice' ? true : 'offer.pdf';
  for (const kind of ['image', 'video', 'audio', 'document', 'sticker'] as const) {
    const draft = () => messageOf({ media: { kind, mediaId: NAMED, [field]: value } });
    if (kinds.includes(kind)) expect(draft().content.media).toHaveProperty(field, value);
    else expect(draft).toThrow(words);
  }
});

test('an audio says whether it is a voice note, and nothing else does', () => {
  const bodyOf = (kind: 'audio' | 'video', more = {}) =>
    messageOf({ media: { kind, mediaId: NAMED, ...more } }).body;
  expect(bodyOf('audio')).toMatchObject({ isPtt: false });
  expect(bodyOf('audio', { voice: true })).toMatchObject({ isPtt: true });
  expect(bodyOf('video', { voice: false })).not.toHaveProperty('isPtt');
});

test('the content of a plain text is not stored twice, and comes out of the row whole', () => {
  for (const fields of [{ text: 'x' }, { text: 'x', mentions: ['+15550002222'] }]) {
    const message = messageOf(fields);
    const row = { content: storedContentOf(message), body: message.body };
    expect(row.content === null).toBe(!('mentions' in fields));
    expect(contentOf(row)).toEqual(message.content);
  }
});
