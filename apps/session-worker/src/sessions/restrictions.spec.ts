import { expect, test } from '@jest/globals';
import { DEFAULT_RESTRICTION_MS, restrictionAt, restrictionsAfter } from './restrictions.js';

const NOW = Date.parse('2026-01-05T09:30:00.000Z');
const later = (ms: number): Date => new Date(NOW + ms);
const account = { reason: 'ACCOUNT_RESTRICTED', isActive: true } as const;
const quota = { reason: 'NEW_CHAT_QUOTA', isActive: true } as const;
const restricted = restrictionsAfter({}, { ...account, until: later(60_000) }, NOW);

test('a restriction lasts until the time that the platform gives', () => {
  const shown = { reason: 'ACCOUNT_RESTRICTED', until: later(60_000).toISOString() };
  expect(restrictionAt(restricted, NOW + 59_999)).toMatchObject(shown);
  expect(restrictionAt(restricted, NOW + 60_000)).toBeNull();
});

test('one without an end lasts for a while after its last sign, and began with the first', () => {
  const first = restrictionsAfter({}, account, NOW);
  const again = restrictionsAfter(first, account, NOW + 1_000);
  expect(restrictionAt(again, NOW + 2_000)).toMatchObject({
    since: later(0).toISOString(),
    until: later(DEFAULT_RESTRICTION_MS + 1_000).toISOString(),
  });
});

test('one that comes after an earlier one is over begins anew', () => {
  const again = restrictionsAfter(restricted, { ...account, until: later(180_000) }, NOW + 120_000);
  expect(restrictionAt(again, NOW + 120_000)).toMatchObject({ since: later(120_000).toISOString() });
});

test('the end of one does not end the other', () => {
  const both = restrictionsAfter(restricted, { ...quota, until: later(90_000) }, NOW + 10_000);
  expect(restrictionAt(both, NOW + 20_000)).toMatchObject({
    ...{ reason: 'NEW_CHAT_QUOTA', since: later(0).toISOString(), until: later(90_000).toISOString() },
  });
  const one = restrictionsAfter(both, { ...quota, isActive: false }, NOW + 20_000);
  expect(one).toEqual(restricted);
});

test.each([
  ['said again', { ...account, until: later(60_000) }],
  ['that is not there', { ...quota, isActive: false }],
  ['that is over already', { ...quota, until: later(-1) }],
])('one %s changes nothing', (_what, report) => {
  expect(restrictionsAfter(restricted, report, NOW + 1_000)).toBe(restricted);
});
