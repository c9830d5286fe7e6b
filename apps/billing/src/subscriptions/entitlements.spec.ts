import { describe, expect, test } from '@jest/globals';
import { entitlementsOf, type PlanNumbers, tokensIncluded } from './entitlements.js';

const PLAN: PlanNumbers = {
  ...{ sessions: 5, messages: 10_000, calls: 5_000, tokens: 20_000_000 },
  ...{ overage: 'bill', storage: 50, pace: 1_000 },
};

describe('what a tenant may use', () => {
  test('is what its plan says', () => {
    expect(entitlementsOf(PLAN, {}, false)).toEqual(PLAN);
  });

  test('has the overrides in the places of the plan’s numbers, nothing among them', () => {
    expect(entitlementsOf(PLAN, { messages: 0, overage: 'block' }, false)).toEqual({
      ...PLAN,
      ...{ messages: 0, overage: 'block' },
    });
  });

  test('has no limit where the tenant is the internal one, whatever was overridden', () => {
    expect(entitlementsOf(PLAN, { messages: 5 }, true)).toEqual({
      ...{ sessions: null, messages: null, calls: null, tokens: null },
      ...{ overage: 'bill', storage: null, pace: null },
    });
  });
});

describe('the tokens that a month includes', () => {
  const of = (tokens: number | null, included: number) =>
    tokensIncluded({ ...entitlementsOf(PLAN, {}, false), tokens }, included);

  test('are those of the tenant, and never fewer than were included before', () => {
    expect([of(20, 0), of(20, 5), of(20, 70)]).toEqual([20, 20, 70]);
  });

  test('have no limit where the tenant has none', () => {
    expect(of(null, 70)).toBeNull();
  });
});
