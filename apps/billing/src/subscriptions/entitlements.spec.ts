import { describe, expect, test } from '@jest/globals';
import { BillingConfig } from '../config.js';
import { type Entitlements, PLANS, type SubscriptionStatus } from '@svc/contracts';
import {
  entitlementsOf,
  graceEnd,
  isActive,
  type MonthOfTokens,
  planNumbers,
  type PlanNumbers,
  tokenRefusal,
  tokensIncluded,
} from './entitlements.js';

const PLAN: PlanNumbers = {
  ...{ sessions: 5, messages: 10_000, calls: 5_000, tokens: 20_000_000 },
  ...{ overage: 'bill', storage: 50, pace: 1_000 },
  ...{ endpoints: 50, keys: 100, widgets: 100, scheduled: 10_000 },
};

test('a plan means the numbers in its place of each variable', () => {
  const config = new BillingConfig();
  expect(planNumbers(config, { plan: 'STARTER', keptOverage: null })).toEqual({
    ...{ sessions: 1, messages: 1_000, calls: 500, tokens: 5_000_000 },
    ...{ overage: 'block', storage: 5e9, pace: 1_000 },
    ...{ endpoints: 50, keys: 100, widgets: 100, scheduled: 10_000 },
  });
  expect(planNumbers(config, { plan: 'ENTERPRISE', keptOverage: null }).sessions).toBe(20);
});

describe('the rule for tokens beyond those included', () => {
  const overageOf = (tokenOverage: BillingConfig['tokenOverage'], keptOverage: 'bill' | null) => {
    const config = Object.assign(new BillingConfig(), { tokenOverage });
    return PLANS.map((plan) => planNumbers(config, { plan, keptOverage }).overage);
  };

  test('is to block on STARTER and to bill on the others', () => {
    expect(overageOf(undefined, null)).toEqual(['block', 'bill', 'bill']);
  });

  test('is to bill for a tenant that keeps that', () => {
    expect(overageOf(undefined, 'bill')).toEqual(['bill', 'bill', 'bill']);
  });

  test('is for all of them what the configuration says, where it says anything', () => {
    for (const kept of ['bill', null] as const)
      expect(overageOf(['bill', 'block', 'block'], kept)).toEqual(['bill', 'block', 'block']);
  });
});

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
      ...{ endpoints: null, keys: null, widgets: null, scheduled: null },
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

test('only an overdue payment is forgiven', () => {
  expect(graceEnd('PAST_DUE', since, 7)).toEqual(new Date('2026-01-08T00:00:00Z'));
  expect(graceEnd('ACTIVE', since, 7)).toBeUndefined();
  expect(graceEnd('UNPAID', since, 7)).toBeUndefined();
});

describe('a send', () => {
  const BLOCKS: Entitlements = {
    ...{ sessions: 1, messages: 1_000, calls: 500, tokens: 100, overage: 'block', storage: 5, pace: 5 },
  };
  const MONTH: MonthOfTokens = {
    ...{ used: 100, included: 0 },
    ...{ now: new Date('2026-01-31T23:59:00Z'), monthEndsAt: new Date('2026-02-01T00:00:00Z') },
  };

  test('is refused until the month ends, once the tokens of a tenant that is blocked are used up', () => {
    expect(tokenRefusal(BLOCKS, MONTH)).toEqual({
      ...{ layer: 'tokens', limit: 100, used: 100 },
      ...{ resetAt: '2026-02-01T00:00:00.000Z', retryAfterSeconds: 60 },
    });
    expect(tokenRefusal(BLOCKS, { ...MONTH, used: 99 })).toBeUndefined();
  });

  test('is not refused before what the month has included is used up', () => {
    expect(tokenRefusal(BLOCKS, { ...MONTH, included: 101 })).toBeUndefined();
    expect(tokenRefusal(BLOCKS, { ...MONTH, included: 101, used: 101 })).toMatchObject({ limit: 101 });
  });

  test('is never refused where tokens are billed, or where there is no limit', () => {
    expect(tokenRefusal({ ...BLOCKS, overage: 'bill' }, MONTH)).toBeUndefined();
    expect(tokenRefusal({ ...BLOCKS, tokens: null }, MONTH)).toBeUndefined();
  });

  test.each([
    ['2026-01-31T23:58:59.999Z', 61],
    ['2026-01-31T23:59:59.999Z', 1],
    ['2026-02-01T00:00:00.000Z', 1],
  ])('at %s may be tried again after %i s: a started one is waited for', (now, seconds) => {
    expect(tokenRefusal(BLOCKS, { ...MONTH, now: new Date(now) })?.retryAfterSeconds).toBe(seconds);
  });
});
