import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { v5 } from 'uuid';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import { conversationOf, deliveryId, receiversOf } from './routing.js';

const aReceiver = (id: string, fields: Partial<Receiver>): Receiver => ({
  ...{
    id,
    sessionId: null,
    url: '',
    events: [],
    ordering: 'CONVERSATION',
    signing: null,
    state: 'ACTIVE',
    generation: 1,
    recovering: false,
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
    receiversOf({ kind: 'message.received', sessionId }, receivers).map(({ id }) => id);
  expect(to('s1')).toEqual(['wide', 'matching', 'paused', 'bound']);
  expect(to('s3')).toEqual(['wide', 'matching', 'paused']);
  expect(to(null)).toEqual(['wide', 'matching', 'paused']);
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
