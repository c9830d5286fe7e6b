import { expect, test } from '@jest/globals';
import type { MessageStatus } from '@svc/contracts';
import fc from 'fast-check';
import { statesBefore } from './message-states.js';

const follow = (events: MessageStatus[]): MessageStatus =>
  events.reduce<MessageStatus>(
    (state, next) => (statesBefore(next).includes(state) ? next : state),
    'QUEUED',
  );

test('a message that was read stays read, in whatever order and however often the events come', () => {
  const event = fc.constantFrom<MessageStatus>('SENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED');
  fc.assert(
    fc.property(fc.array(event), fc.array(event), (a, b) =>
      expect(follow([...a, 'READ', ...b])).toBe('READ'),
    ),
  );
});

test('failing is only possible before a message was sent', () => {
  expect(follow(['FAILED'])).toBe('FAILED');
  expect(follow(['SENT', 'FAILED'])).toBe('SENT');
  expect(follow(['FAILED', 'SENT'])).toBe('FAILED');
});

test('a receipt proves that a message given up for failed did arrive', () => {
  expect(follow(['FAILED', 'DELIVERED'])).toBe('DELIVERED');
});

test('nothing replaces an inbound message', () => {
  expect(statesBefore('READ')).not.toContain('RECEIVED');
});
