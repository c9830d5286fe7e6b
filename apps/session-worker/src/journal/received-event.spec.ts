import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { MessageReceived, parseEnvelope } from '@svc/contracts';
import type { InboundRecord } from '../platform/messages.js';
import { messageIdOf } from './message-id.js';
import { Arrivals, receivedEvent, withoutContent } from './received-event.js';

const session = { id: randomUUID(), tenantId: randomUUID() };
const record = (more: Partial<InboundRecord> = {}): InboundRecord => ({
  sender: '123@lid',
  keyId: '3EB0A',
  chat: '4915112345678@s.whatsapp.net',
  remoteJid: '4915112345678@s.whatsapp.net',
  fromMe: false,
  pushName: 'Ada',
  sentAt: 1_700_000_000,
  plaintext: new Uint8Array(),
  content: { type: 'conversation', body: { type: 'text', text: 'Hi' } },
  ...more,
});

test('keeps the contract and names the sender by phone', () => {
  const event = receivedEvent(record(), session);
  const { data } = parseEnvelope(MessageReceived, JSON.parse(JSON.stringify(event)));
  expect(data).toMatchObject({
    sessionId: session.id,
    phone: '+4915112345678',
    remoteJid: '4915112345678@s.whatsapp.net',
    timestamp: '2023-11-14T22:13:20.000Z',
    body: { type: 'text', text: 'Hi' },
  });
});

test('says when it came: messages that come in one millisecond sort as they came', () => {
  const arrivals = new Arrivals();
  const times = Array.from({ length: 500 }, () => {
    const event = receivedEvent(record(), session, arrivals.next());
    return (event?.data as { receivedAt: string }).receivedAt;
  });
  expect(times).toEqual([...new Set(times)].sort());
  expect(Date.parse(String(times[0]))).toBeLessThanOrEqual(Date.now());
});

test('is the same event however often the message is journaled', () => {
  expect(receivedEvent(record(), session)?.id).toBe(receivedEvent(record(), session)?.id);
});

test.each([
  ['another key id', { keyId: '3EB0B' }],
  ['another sender', { sender: '124@lid' }],
])('is another event with %s', (_what, more) => {
  expect(receivedEvent(record(more), session)?.id).not.toBe(receivedEvent(record(), session)?.id);
});

test('has no phone where the platform hides it', () => {
  expect(receivedEvent(record({ remoteJid: '123@lid' }), session)?.data).toMatchObject({
    phone: null,
    remoteJid: '123@lid',
  });
});

test('does not exist for what is nothing for people', () => {
  expect(receivedEvent(record({ content: undefined }), session)).toBeUndefined();
});

test('tells of a text that is too long for any receiver without carrying it', () => {
  const text = '文'.repeat(300_000);
  const event = receivedEvent(
    record({ content: { type: 'conversation', body: { type: 'text', text } } }),
    session,
  );
  expect(event?.data).toMatchObject({ body: { type: 'unsupported', original: 'conversation' } });
  expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(10_000);
});

test('has an id that never changes: a release that computed another would tell of messages twice', () => {
  const id = messageIdOf('018f0000-0000-7000-8000-00000000000a', '123@lid', '3EB0A');
  expect(id).toBe('6d1c8557-d926-5ef9-beef-95d0b2cd3010');
});

const content = (more: Partial<NonNullable<InboundRecord['content']>>): Partial<InboundRecord> => ({
  content: { type: 'imageMessage', body: { type: 'image', mimeType: 'image/png' }, ...more },
});
const dataOf = (more: Partial<InboundRecord>) => receivedEvent(record(more), session)?.data;

test('has nothing of an edit, of people, of an answered message or of a file where there is none', () => {
  for (const name of ['change', 'mentions', 'quoted', 'media'])
    expect(dataOf(content({ file: 'FETCHABLE' }))).not.toHaveProperty(name);
});

test('says what it changes, and whom it names', () => {
  const change = { kind: 'EDITED', keyId: '3EB09' } as const;
  const mentions = ['1@lid', '2@lid'];
  expect(dataOf(content({ change, mentions }))).toMatchObject({ change, mentions });
});

test('says which message it answers, with what that said where it carries that', () => {
  const said = { type: 'conversation', body: { type: 'text', text: 'Hi?' } } as const;
  expect(dataOf(content({ quoted: { keyId: '3EB09', author: '9@lid', content: said } }))).toMatchObject({
    quoted: { keyId: '3EB09', remoteJid: '9@lid', body: said.body },
  });
  const quoted = (dataOf(content({ quoted: { keyId: '3EB09' } })) as { quoted: object }).quoted;
  expect(quoted).toEqual({ keyId: '3EB09' });
});

test('says that a file cannot be had, of which kind it was, and also where it is to be seen once', () => {
  const failed = { status: 'FAILED', size: null, sha256: null, reason: 'INVALID' };
  const mediaId = receivedEvent(record(), session)?.id;
  const image = { type: 'image', mimeType: 'image/png' } as const;
  const bodies = [image, { type: 'view_once', inner: image } as const];
  for (const body of bodies)
    expect(dataOf(content({ file: 'UNREACHABLE', body }))).toMatchObject({
      media: { ...failed, mediaId, mimeType: 'image/png' },
    });
  expect(dataOf(content({ file: 'UNREACHABLE', body: { type: 'image' } }))).toMatchObject({
    media: { ...failed, mediaId, mimeType: null },
  });
});

describe('an event of 900,000 bytes', () => {
  const eventOf = (text: string, more: object = {}) =>
    receivedEvent(
      record({ content: { type: 'conversation', body: { type: 'text', text }, ...more } }),
      session,
    );
  const frame = Buffer.byteLength(JSON.stringify(eventOf('')));

  test.each([
    ['x', 900_000 - frame],
    ['文', Math.floor((900_000 - frame) / 3)],
  ])('carries its body in %s, and is told without it where there is one more', (character, most) => {
    expect(eventOf(character.repeat(most))?.data).toMatchObject({ body: { type: 'text' } });
    expect(eventOf(character.repeat(most + 1))?.data).toMatchObject({
      ...{ body: { type: 'unsupported', original: 'conversation' }, unsupportedReason: 'TOO_LARGE' },
    });
  });

  test('is told without what it quotes, and whom it names, before its body goes', () => {
    const quoted = {
      keyId: 'Q',
      author: 'a@lid',
      content: { type: 'c', body: { type: 'text', text: 'y'.repeat(500_000) } },
    };
    const event = eventOf('x'.repeat(500_000), { quoted, mentions: ['b@lid'] });
    expect(event?.data).toMatchObject({ body: { type: 'text' }, quoted: { keyId: 'Q' } });
    expect(event?.data).not.toHaveProperty('mentions');
    expect(event?.data).not.toHaveProperty('unsupportedReason');
  });
});

test('a record without its content tells who wrote when, what it changes, and that it cannot be told', () => {
  const change = { kind: 'EDITED' as const, keyId: 'K' };
  const short = withoutContent(
    record({ content: { type: 'imageMessage', body: { type: 'image' }, change } }),
  );
  expect(receivedEvent(short, session)?.data).toMatchObject({
    ...{ pushName: null, phone: '+4915112345678', change, unsupportedReason: 'UNREADABLE' },
    body: { type: 'unsupported', original: 'imageMessage' },
  });
  expect(withoutContent(record({ content: undefined })).content).toBeUndefined();
});
