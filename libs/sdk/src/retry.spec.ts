import { describe, expect, test } from '@jest/globals';
import { ApiError, ConnectionError, retryAfterOf } from './errors.js';
import { delayBefore } from './retry.js';

const api = (status: number, retryAfterMs?: number): ApiError => new ApiError(status, {}, retryAfterMs);
const lost = new ConnectionError('lost');

describe('a call is made again', () => {
  test.each([
    [lost, true, true],
    [lost, false, false],
    [api(429), false, true],
    [api(502), true, true],
    [api(503), true, true],
    [api(504), true, true],
    [api(503), false, false],
    [api(500), true, false],
    [api(400), true, false],
    [new Error('a bug'), true, false],
  ])('%s, repeatable %s: %s', (error, repeatable, again) => {
    expect(delayBefore(error, 0, repeatable) !== undefined).toBe(again);
  });

  test('after what it was asked to wait and a pause that grows, up to a bound', () => {
    expect(delayBefore(api(503, 1_000), 0, true)).toBeGreaterThanOrEqual(1_000);
    expect(delayBefore(lost, 0, true)).toBeLessThanOrEqual(250);
    expect(delayBefore(lost, 3, true)).toBeGreaterThanOrEqual(1_000);
    expect(delayBefore(lost, 50, true)).toBeLessThanOrEqual(8_000);
    expect(delayBefore(api(429, 60_001), 0, true)).toBeUndefined();
  });
});

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  expect(retryAfterOf('7', now)).toBe(7_000);
  expect(retryAfterOf('Sat, 31 Jan 2026 12:00:09 GMT', now)).toBe(9_000);
  expect(retryAfterOf('Sat, 31 Jan 2026 11:00:00 GMT', now)).toBe(0);
  expect([retryAfterOf(null, now), retryAfterOf('soon', now)]).toEqual([undefined, undefined]);
});
