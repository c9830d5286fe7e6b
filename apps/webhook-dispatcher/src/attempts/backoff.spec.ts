import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retryDelay } from './backoff.js';

const DELAYS = [0, 30_000, 120_000, 600_000, 3_600_000];

test('follows the schedule of the specification when there is no jitter', () => {
  expect([1, 2, 3, 4].map((failed) => retryDelay(failed, DELAYS, 0))).toEqual(DELAYS.slice(1));
});

test('knows no sixth attempt', () => {
  expect(retryDelay(5, DELAYS)).toBeUndefined();
  expect(retryDelay(6, DELAYS)).toBeUndefined();
});

test('is never early, and late by four per cent at most: the fifth is for the way from the clock to the POST', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0, max: 0.999999, noNaN: true }),
      (failed, random) => {
        const delay = DELAYS[failed] ?? 0;
        const actual = retryDelay(failed, DELAYS, random) ?? 0;
        expect(actual).toBeGreaterThanOrEqual(delay);
        expect(actual).toBeLessThanOrEqual(delay * 1.04 + 1);
      },
    ),
  );
});
