import { expect, test } from '@jest/globals';
import type { DeliveryBody } from '@svc/testing';
import { sessionGaps } from '../../src/load/webhook-facts.js';

const bodyOf = (event: string, sessionId: string, second: number): DeliveryBody => ({
  event: `session.${event}`,
  deliveryId: `${event} ${sessionId} ${second}`,
  payload: { sessionId, timestamp: new Date(second * 1000).toISOString() },
});

test('the longest gap is found whatever the order of the webhooks', () => {
  const bodies = [
    bodyOf('connected', 'a', 1),
    bodyOf('connected', 'a', 12),
    bodyOf('disconnected', 'b', 11),
    bodyOf('disconnected', 'a', 10),
    bodyOf('connected', 'b', 14),
    bodyOf('disconnected', 'a', 20),
    bodyOf('connected', 'a', 21),
  ];
  expect(sessionGaps(bodies)).toEqual({ longestMs: 3000, gaps: 3, stillAway: 0 });
});

test('a session away twice before it is back was away from the first time on', () => {
  const bodies = [
    bodyOf('disconnected', 'a', 1),
    bodyOf('disconnected', 'a', 3),
    bodyOf('connected', 'a', 4),
  ];
  expect(sessionGaps(bodies)).toEqual({ longestMs: 3000, gaps: 1, stillAway: 0 });
});

test('a webhook that came twice makes no gap of its own', () => {
  const once = [bodyOf('disconnected', 'a', 1), bodyOf('connected', 'a', 2)];
  expect(sessionGaps([...once, ...once])).toEqual({ longestMs: 1000, gaps: 1, stillAway: 0 });
});

test('back in the moment it left is a gap of nothing; not back yet is told apart', () => {
  const bodies = [
    bodyOf('connected', 'a', 5),
    bodyOf('disconnected', 'a', 5),
    bodyOf('disconnected', 'b', 5),
  ];
  expect(sessionGaps(bodies)).toEqual({ longestMs: 0, gaps: 1, stillAway: 1 });
});
