import { describe, expect, test } from '@jest/globals';
import { type Aspect, type Envelope, partitionOf } from '@svc/contracts';
import fc from 'fast-check';
import { v5 } from 'uuid';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import { conversationOf, deliveryId, newEventOf, receiversOf } from './routing.js';

const aReceiver = (id: string, fields: Partial<Receiver>): Receiver => ({
  ...{
    id,
    sessionId: null,
    url: '',
    events: [],
    hears: ['groups'],
    ordering: 'CONVERSATION',
    signing: null,
    state: 'ACTIVE',
    generation: 1,
    recovering: false,
    newSecretUntil: null,
  },
  ...fields,
});

test('routes by state, session and filter', () => {
  const all = [
    aReceiver('wide', {}),
    aReceiver('filtered', { events: ['message.sent'] }),
    aReceiver('matching', { events: ['session.connected', 'message.received'] }),
    aReceiver('paused', { state: 'PAUSED' }),
    aReceiver('disabled', { state: 'DISABLED', sessionId: 's1' }),
    aReceiver('bound', { sessionId: 's1' }),
    aReceiver('bound elsewhere', { sessionId: 's2' }),
  ];
  const receivers = new Map(all.map((receiver) => [receiver.id, receiver]));
  const to = (sessionId: string | null) =>
    receiversOf({ kind: 'message.received', sessionId, aspects: [] }, receivers).map(({ id }) => id);
  expect(to('s1')).toEqual(['wide', 'matching', 'paused', 'bound']);
  expect(to('s3')).toEqual(['wide', 'matching', 'paused']);
  expect(to(null)).toEqual(['wide', 'matching', 'paused']);
});

test('an event that has to be named goes to who names it, and not to who takes all', () => {
  const all = [aReceiver('wide', {}), aReceiver('naming', { events: ['message.poll_vote'] })];
  const receivers = new Map(all.map((receiver) => [receiver.id, receiver]));
  const to = receiversOf({ kind: 'message.poll_vote', sessionId: 's1', aspects: [] }, receivers);
  expect(to.map(({ id }) => id)).toEqual(['naming']);
});

test('an event with an aspect goes to who hears that aspect, and one with two to who hears both', () => {
  const all = [
    aReceiver('customers', { hears: [] }),
    aReceiver('usual', {}),
    aReceiver('own', { hears: ['own'] }),
    aReceiver('everything', { hears: ['groups', 'own', 'changes'] }),
  ];
  const receivers = new Map(all.map((receiver) => [receiver.id, receiver]));
  const to = (...aspects: Aspect[]) =>
    receiversOf({ kind: 'message.received', sessionId: 's1', aspects }, receivers).map(({ id }) => id);
  expect(to()).toEqual(['customers', 'usual', 'own', 'everything']);
  expect(to('groups')).toEqual(['usual', 'everything']);
  expect(to('own')).toEqual(['own', 'everything']);
  expect(to('changes')).toEqual(['everything']);
  expect(to('groups', 'own')).toEqual(['everything']);
});

test('a conversation is a session and a chat, whichever direction', () => {
  const [inbound, outbound] = [
    { sessionId: 's', remoteJid: 'c' },
    { sessionId: 's', to: 'c' },
  ].map(conversationOf);
  expect(inbound).toBe(outbound);
  expect(conversationOf({ sessionId: 's', remoteJid: 'own number', chatId: 'c' })).toBe(inbound);
  expect(conversationOf({ sessionId: 's', to: 'd' })).not.toBe(inbound);
  expect(conversationOf({ sessionId: 't', to: 'c' })).not.toBe(inbound);
});

test('a delivery id never changes: a release that computed another would deliver twice', () => {
  expect(deliveryId('018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002')).toBe(
    'b66eed12-a28f-5705-8512-d26175bd5621',
  );
});

test('a delivery id is the UUID of version 5 of its event and its endpoint', () => {
  const namespace = 'b0d7a3a4-2f0c-5b0e-9a57-6d1f4c1f9f57';
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (event, endpoint) => {
      expect(deliveryId(event, endpoint)).toBe(v5(event + endpoint, namespace));
    }),
    { numRuns: 1_000 },
  );
});

const TENANT = '018f0000-0000-7000-8000-00000000000a';
const SESSION = '018f0000-0000-7000-8000-00000000000b';
const OCCURRED = '2026-01-31T12:00:05.000Z';

/** Reads an event of the stream as a new one. */
const read = (data: object, more: Partial<Envelope> = {}) => {
  const id = '018F0000-0000-7000-8000-00000000000C';
  const named = { id, type: 'message.sent', version: 1, tenantId: TENANT, occurredAt: OCCURRED };
  return newEventOf({ envelope: { ...named, data, ...more }, bytes: Buffer.from(JSON.stringify(data)) });
};

describe('an event of the stream', () => {
  test('is written with the bytes that were published, under an id as the database spells it', () => {
    const data = { sessionId: SESSION, to: 'c' };
    expect(read(data)).toMatchObject({
      ...{ id: '018f0000-0000-7000-8000-00000000000c', tenantId: TENANT, sessionId: SESSION },
      ...{ kind: 'message.sent', payload: Buffer.from(JSON.stringify(data)) },
      ...{ conversation: conversationOf(data), partition: partitionOf(TENANT) },
    });
  });

  test('need not be of a session', () => {
    expect(read({}).sessionId).toBeNull();
    expect(read({ sessionId: null }).sessionId).toBeNull();
  });

  test.each([
    ['names a session by what is no UUID', { sessionId: 's' }, {}, 'sessionId is not a UUID.'],
    ['names a session by a number', { sessionId: 7 }, {}, 'sessionId is not a UUID.'],
    ['has no time', {}, { occurredAt: 'soon' }, 'The time of the event is not an ISO 8601 time.'],
    [
      'tells a message that came in at no time',
      { timestamp: 'soon' },
      { type: 'message.received' },
      'The time of the event is not an ISO 8601 time.',
    ],
  ])('that %s can never be taken in', (_, data, more, message) => {
    expect(() => read(data, more)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED', message }));
  });
});

describe('the aspects of an event', () => {
  const sent = { remoteJid: 'c', timestamp: '2026-01-31T12:00:00.000Z' };
  const aspects = (data: object, type = 'message.received') => read({ ...sent, ...data }, { type }).aspects;

  test('are none of what a contact writes in a chat of the own', () => {
    expect(aspects({ fromMe: false, isGroup: false })).toEqual([]);
    expect(aspects({})).toEqual([]);
  });

  test.each(['message.received', 'message.poll_vote', 'message.live_location', 'call.received'])(
    'say of a %s whether it is of a group, of the own number, and a change',
    (type) => {
      expect(aspects({ isGroup: true }, type)).toEqual(['groups']);
      expect(aspects({ fromMe: true }, type)).toEqual(['own']);
      expect(aspects({ change: { kind: 'EDITED', keyId: 'k' } }, type)).toEqual(['changes']);
      expect(aspects({ isGroup: true, fromMe: true, change: {} }, type)).toEqual([
        ...['groups', 'own', 'changes'],
      ]);
    },
  );

  test('are none of what was sent, also to a group', () => {
    expect(aspects({ isGroup: true, fromMe: true }, 'message.sent')).toEqual([]);
  });
});

describe('the persons of an event', () => {
  test.each(['message.received', 'message.poll_vote', 'message.live_location', 'call.received'])(
    'are who wrote, voted or called, and the chat, of a %s, at the time when it was sent',
    (type) => {
      const data = { remoteJid: 'c', chatId: 'g', timestamp: '2026-01-31T12:00:00.000Z' };
      expect(read(data, { type }).persons).toEqual({
        ...{ contacts: ['c', 'g'], toThem: false },
        at: new Date('2026-01-31T12:00:00.999Z'), // the platform names seconds
      });
    },
  );

  test('are also who is named in it: on cards, and as the author of a poll', () => {
    const cards = [{ displayName: 'Ada', phones: ['+4915550001', '+4915550002'] }];
    const named = { remoteJid: 'c', timestamp: '2026-01-31T12:00:00.000Z', contacts: cards, pollAuthor: 'p' };
    expect(read(named, { type: 'message.received' }).persons.contacts).toEqual([
      ...['c', 'p', '4915550001@s.whatsapp.net', '4915550002@s.whatsapp.net'],
    ]);
  });

  test('are who is written to, of what was sent to them, at the time when it happened', () => {
    expect(read({ to: 'c', timestamp: '2026-01-31T11:00:00.000Z' }).persons).toEqual({
      ...{ contacts: ['c'], at: new Date(OCCURRED), toThem: true },
    });
    expect(read({ remoteJid: 'c', to: 'own number' }).persons.contacts).toEqual(['c']);
  });

  test('are nobody where the event names none', () => {
    expect(read({ to: 7 }, { type: 'message.received' }).persons).toEqual({
      ...{ contacts: [], at: new Date(OCCURRED), toThem: true },
    });
  });
});

test('what is no text names no conversation, and nothing is one, too', () => {
  expect(conversationOf({ sessionId: 7, to: null })).toBe(conversationOf({}));
  expect(conversationOf({})).toBe(0x811c9dc5 | 0);
  expect(conversationOf({ sessionId: 's' })).toBe(conversationOf({ sessionId: 's', to: '' }));
});
