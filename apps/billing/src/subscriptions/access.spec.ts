import { expect, test } from '@jest/globals';
import { isActive, PAST_DUE_GRACE_MS } from './access.js';

const since = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(since.getTime() + ms);

test.each(['TRIALING', 'ACTIVE'] as const)('%s may send, however long it lasts', (status) => {
  expect(isActive(status, since, after(400 * 24 * 3600 * 1000))).toBe(true);
});

test.each(['UNPAID', 'CANCELED', 'PAUSED'] as const)('%s may not send, from the first moment', (status) => {
  expect(isActive(status, since, since)).toBe(false);
});

test('an overdue payment is forgiven for seven days, to the millisecond', () => {
  expect(isActive('PAST_DUE', since, after(PAST_DUE_GRACE_MS - 1))).toBe(true);
  expect(isActive('PAST_DUE', since, after(PAST_DUE_GRACE_MS))).toBe(false);
});
