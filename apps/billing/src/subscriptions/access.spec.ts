import { expect, test } from '@jest/globals';
import type { SubscriptionStatus } from '@svc/contracts';
import { graceEnd, isActive } from './access.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const since = new Date('2026-01-01T00:00:00Z');
const isActiveAfter = (status: SubscriptionStatus, ms: number): boolean =>
  isActive(status, graceEnd(status, since, 7), new Date(since.getTime() + ms));

test.each(['TRIALING', 'ACTIVE'] as const)('%s may send, however long it lasts', (status) => {
  expect(isActiveAfter(status, 400 * DAY_MS)).toBe(true);
});

test.each(['UNPAID', 'CANCELED', 'PAUSED'] as const)('%s may not send, from the first moment', (status) => {
  expect(isActiveAfter(status, 0)).toBe(false);
});

test('an overdue payment is forgiven for as many days as configured, to the millisecond', () => {
  expect(isActiveAfter('PAST_DUE', 7 * DAY_MS - 1)).toBe(true);
  expect(isActiveAfter('PAST_DUE', 7 * DAY_MS)).toBe(false);
});
