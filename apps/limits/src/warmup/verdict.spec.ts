import { expect, test } from '@jest/globals';
import type { Criteria } from './criteria.js';
import { type Facts, judge, lowerBound } from './verdict.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const CRITERIA: Criteria = {
  ...{ dwellDays: 7, leastUsed: 0.5, leastDelivered: 0.9 },
  ...{ mostFailed: 0.03, leastReplied: 0.15, mostDisconnects: 1 },
};
const HEALTHY: Facts = {
  ...{ inTierMs: 7 * DAY_MS, usedDays: 4, sent: 300, sentBefore: 250, deliveredBefore: 245 },
  ...{ failed: 2, contacts: 60, replied: 25, disconnects: 3, logouts: 0 },
};
const unmet = (change: Partial<Facts>): string[] =>
  judge({ ...HEALTHY, ...change }, CRITERIA)
    .filter(({ met }) => !met)
    .map(({ name }) => name);

test('a healthy number meets all of it on the day', () => {
  expect(unmet({})).toEqual([]);
  expect(unmet({ inTierMs: 7 * DAY_MS - 1 })).toEqual(['DAYS_IN_TIER']);
});

test.each<[string, Partial<Facts>]>([
  ['USED_DAYS', { usedDays: 3 }],
  ['DELIVERED', { deliveredBefore: 220 }],
  ['DELIVERED', { sentBefore: 0, deliveredBefore: 0 }],
  ['FAILED', { failed: 20 }],
  ['REPLIED', { replied: 10 }],
  ['REPLIED', { contacts: 0, replied: 0 }],
  ['DISCONNECTS_PER_DAY', { disconnects: 8 }],
  ['DISCONNECTS_PER_DAY', { inTierMs: 120 * DAY_MS, disconnects: 31 }],
  ['LOGOUTS', { logouts: 1 }],
])('%s is missing where %j', (name, change) => {
  expect(unmet(change)).toEqual([name]);
});

test('few messages prove little: the same part of more of them does', () => {
  expect(unmet({ sentBefore: 10, deliveredBefore: 10 })).toEqual(['DELIVERED']);
  expect(unmet({ sentBefore: 20, deliveredBefore: 20 })).toEqual([]);
  expect(unmet({ contacts: 5, replied: 2 })).toEqual([]);
  expect(unmet({ contacts: 5, replied: 1 })).toEqual(['REPLIED']);
});

test('one failure among few is no proof of a sick number', () => {
  expect(unmet({ sent: 20, failed: 1 })).toEqual([]);
  expect(unmet({ sent: 200, failed: 10 })).toEqual(['FAILED']);
});

test.each([
  [0, 0, 0],
  [0, 100, 0],
  [20, 20, 0.924],
  [50, 100, 0.436],
  [100, 100, 0.983],
])('of %i in %i at least %d is proven', (part, whole, bound) => {
  expect(lowerBound(part, whole)).toBeCloseTo(bound, 2);
});

test('what is shown has three digits, rounded so that it never looks like enough where it is not', () => {
  const shown = new Map(
    judge(HEALTHY, CRITERIA).map(({ name, actual, required }) => [name, { actual, required }]),
  );
  expect(shown.get('DAYS_IN_TIER')).toEqual({ actual: 7, required: 7 });
  expect(shown.get('USED_DAYS')).toEqual({ actual: 4, required: 4 });
  expect(shown.get('REPLIED')).toEqual({ actual: 0.338, required: 0.15 }); // 0.33838…
  expect(shown.get('DISCONNECTS_PER_DAY')).toEqual({ actual: 0.429, required: 1 }); // 3 in 7 days are 0.42857…
});

test('what is shown of something that is too much is more than what is allowed', () => {
  const [failed] = judge({ ...HEALTHY, sent: 10, failed: 1 }, CRITERIA).filter(
    ({ name }) => name === 'FAILED',
  );
  expect(failed).toMatchObject({ met: false, required: 0.03 });
  expect(failed!.actual).toBeGreaterThan(0.03);
});
