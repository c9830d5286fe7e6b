import { expect, test } from '@jest/globals';
import { TIER_CAPS } from '@svc/contracts';
import { planCap } from './caps.js';

test.each([
  ['STARTER', 1_000],
  ['GROWTH', 10_000],
  ['ENTERPRISE', 100_000],
] as const)('%s may send %i messages a day', (plan, cap) => {
  expect(planCap({ plan, internal: false })).toBe(cap);
});

test('the internal tenant has no cap, whatever its plan', () => {
  expect(planCap({ plan: 'STARTER', internal: true })).toBeNull();
});

test('the warmup tiers allow what the specification says', () => {
  expect(TIER_CAPS).toEqual([10, 50, 250, 1_000, 5_000]);
});
