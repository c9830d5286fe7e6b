import { expect, test } from '@jest/globals';
import { reconnectDelayMs, troublesAfter, verdictOn } from './close-codes.js';

test.each([
  [401, 'logged-out', 'UNLINKED'],
  [440, 'stop', 'REPLACED'],
  [403, 'stop', 'PLATFORM_REFUSED'],
  [515, 'again', 'RESTART_REQUIRED'],
  [428, 'later', 'CONNECTION_LOST'],
  [408, 'later', 'KEEP_ALIVE_TIMEOUT'],
  [503, 'later', 'PLATFORM_ERROR'],
  [500, 'later', 'PLATFORM_ERROR'],
  [463, 'later', 'CONNECTION_REFUSED'],
])('after close code %d: %s, because %s', (code, next, reason) => {
  expect(verdictOn(code)).toEqual({ next, reason });
});

test('waits longer after each failed attempt, but never longer than half a minute', () => {
  const longest = [1, 2, 3, 10, 100].map((attempt) => reconnectDelayMs(attempt, 0.999999));
  expect(longest).toEqual([250, 500, 1_000, 30_000, 30_000]);
});

test('spreads the reconnects of many sessions over half of the wait', () => {
  expect(reconnectDelayMs(5, 0)).toBe(2_000);
  expect(reconnectDelayMs(5, 0.5)).toBe(3_000);
});

test('a socket that does not work counts as one more in a row, unless it had worked for a while', () => {
  expect(troublesAfter(3, 1_000)).toBe(4);
  expect(troublesAfter(3, 10 * 60_000)).toBe(0);
});
