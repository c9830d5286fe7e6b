import { expect, test } from '@jest/globals';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import { deliveryId } from '../lanes/delivery-id.js';
import { conversationOf } from './conversation.js';
import { receiversOf } from './routing.js';

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
