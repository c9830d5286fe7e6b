import { expect, test } from '@jest/globals';
import { backOffMs, deathsInARow } from './back-off.js';

test('waits twice as long after every death in a row, ten seconds at most', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 2000].map(backOffMs)).toEqual([
    200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
  ]);
});

test('forgets earlier deaths of a program that was alive for half a minute', () => {
  expect(deathsInARow(5, 29_999)).toBe(5);
  expect(deathsInARow(5, 30_000)).toBe(0);
});
