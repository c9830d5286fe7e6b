import { expect, test } from '@jest/globals';
import { ageInDays } from './version-age.js';

const NOW = Date.UTC(2026, 10, 25);

test.each([
  ['that of the library, of 25 July', 1_043_857_760, 123],
  ['one that came ten days after it', 1_044_517_760, 113],
  ['one of the day', 1_052_000_000, 0],
])('the age of a revision follows from its number: %s', (_which, revision, days) => {
  expect(ageInDays(revision, NOW)).toBe(days);
});
