import { expect, test } from '@jest/globals';
import type { DeliveryBody } from '@svc/testing';
import { sessionGaps } from '../../src/load/webhook-facts.js';

const told = (event: string, sessionId: string, second: number): DeliveryBody => ({
  event: `session.${event}`,
  deliveryId: `${event} ${sessionId} ${second}`,
  payload: { sessionId, timestamp: new Date(second * 1000).toISOString() },
});

test('the longest gap is found whatever the order of the webhooks', () => {
  const bodies = [
    told('connected', 'a', 1),
    told('connected', 'a', 12),
    told('disconnected', 'b', 11),
    told('disconnected', 'a', 10),
    told('connected', 'b', 14),
    told('disconnected', 'a', 20),
    told('connected', 'a', 21),
  ];
  expect(sessionGaps(bodies)).toEqual({ longestMs: 3000, gaps: 3, stillAway: 0 });
});

test('a session away twice before it is back was away from the first time on', () => {
  const bodies = [told('disconnected', 'a', 1), told('disconnected', 'a', 3), told('connected', 'a', 4)];
  expect(sessionGaps(bodies)).toEqual({ longestMs: 3000, gaps: 1, stillAway: 0 });
});

test('a webhook that came twice makes no gap of its own', () => {
  const once = [told('disconnected', 'a', 1), told('connected', 'a', 2)];
  expect(sessionGaps([...once, ...once])).toEqual({ longestMs: 1000, gaps: 1, stillAway: 0 });
});

test('back in the moment it left is a gap of nothing; not back yet is told apart', () => {
  const bodies = [told('connected', 'a', 5), told('disconnected', 'a', 5), told('disconnected', 'b', 5)];
  expect(sessionGaps(bodies)).toEqual({ longestMs: 0, gaps: 1, stillAway: 1 });
});
