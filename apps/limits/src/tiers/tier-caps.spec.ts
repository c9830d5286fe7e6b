import { expect, test } from '@jest/globals';
import { TIER_CAPS } from '@svc/contracts';

test('the warmup tiers allow what the specification says', () => {
  expect(TIER_CAPS).toEqual([10, 50, 250, 1_000, 5_000]);
});
