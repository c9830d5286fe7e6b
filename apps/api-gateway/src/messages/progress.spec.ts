import { expect, test } from '@jest/globals';
import type { MessageStatus } from '@svc/contracts';
import fc from 'fast-check';
import { type Progress, progressRows, statesBefore } from './progress.js';
import type { TimedState } from './timeline.js';

const follow = (events: MessageStatus[]): MessageStatus =>
  events.reduce<MessageStatus>(
    (state, next) => (statesBefore(next).includes(state) ? next : state),
    'QUEUED',
  );

test('a message that was read stays read, in whatever order and however often the events come', () => {
  const event = fc.constantFrom<MessageStatus>('SENT', 'DELIVERED', 'READ', 'FAILED');
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

type Step = { status: MessageStatus; replaces: string[] } & Record<string, unknown>;

const progressOf = (status: TimedState, jobId = 'one', minute = 0): Progress => ({
  ...{ tenantId: 'tenant', jobId, status, keyId: 'key', failure: null },
  at: new Date(Date.UTC(2030, 0, 1, 0, minute)),
});
const steps = (all: Progress[]): Step[] => progressRows(all) as Step[];

test('told at once or one after the other, a message comes to the same state', () => {
  const state = fc.constantFrom<TimedState>('SENT', 'DELIVERED', 'READ', 'FAILED');
  const start = fc.constantFrom<MessageStatus>('QUEUED', 'SENT', 'FAILED', 'DELIVERED', 'READ');
  fc.assert(
    fc.property(start, fc.array(state, { minLength: 1 }), (from, states) => {
      const alone = states.reduce<MessageStatus>(
        (now, next) => (statesBefore(next).includes(now) ? next : now),
        from,
      );
      const [together] = steps(states.map((one) => progressOf(one)));
      expect(together?.replaces.includes(from) ? together.status : from).toBe(alone);
    }),
  );
});

test('each message is one step, with the time of every state that was told, the first one', () => {
  const [one, two, ...none] = steps([
    progressOf('SENT', 'one', 1),
    progressOf('DELIVERED', 'two', 2),
    progressOf('DELIVERED', 'one', 3),
    progressOf('SENT', 'one', 4),
  ]);
  expect(one).toMatchObject({ id: 'one', status: 'DELIVERED', sent_at: progressOf('SENT', 'one', 1).at });
  expect(one).toMatchObject({ delivered_at: progressOf('SENT', 'one', 3).at });
  expect(two).toMatchObject({ id: 'two', status: 'DELIVERED' });
  expect(two).not.toHaveProperty('sent_at');
  expect(none).toEqual([]);
});
