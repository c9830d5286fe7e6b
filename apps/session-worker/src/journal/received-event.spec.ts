import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { MessageReceived, parseEnvelope } from '@svc/contracts';
import type { InboundRecord } from '../platform/messages.js';
import { receivedEvent } from './received-event.js';

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
