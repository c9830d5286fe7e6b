import { describe, expect, test } from '@jest/globals';
import { changeOf, differs, type LockedSubscription } from './subscription-change.js';

const BEFORE: LockedSubscription = {
  ...{ tenantId: 't', plan: 'GROWTH', status: 'ACTIVE', internal: false, keptOverage: null },
  ...{
    nextPlan: null,
    nextPlanAt: null,
    providerId: null,
    periodEndsAt: null,
    syncs: 3,
    now: new Date('2026-01-02T03:04:05Z'),
  },
};
const LATER = new Date('2026-02-01T00:00:00Z');

describe('a change is worth an event', () => {
  test.each<[string, Partial<LockedSubscription>]>([
    ['the plan', { plan: 'STARTER' }],
    ['the state', { status: 'PAUSED' }],
    ['the plan that begins later', { nextPlan: 'STARTER', nextPlanAt: LATER }],
  ])('where %s differs', (_, change) => {
    expect(differs(BEFORE, { ...BEFORE, ...change })).toBe(true);
    expect(differs({ ...BEFORE, ...change }, BEFORE)).toBe(true);
  });

  test('and not where nothing does, or only the date of a later plan', () => {
    expect(differs(BEFORE, { ...BEFORE })).toBe(false);
    const waiting: LockedSubscription = { ...BEFORE, nextPlan: 'STARTER', nextPlanAt: LATER };
    expect(differs(waiting, { ...waiting, nextPlanAt: new Date('2026-03-01T00:00:00Z') })).toBe(false);
  });
});

describe('the event of a change', () => {
  const SAME = { previousPlan: 'GROWTH', plan: 'GROWTH', previousStatus: 'ACTIVE', status: 'ACTIVE' };
  const timestamp = '2026-01-02T03:04:05.000Z';

  test('says what it was and what it is, who changed it and when', () => {
    const after: LockedSubscription = { ...BEFORE, plan: 'ENTERPRISE', status: 'PAST_DUE' };
    expect(changeOf(BEFORE, after, { actor: 'operator' })).toEqual({
      ...{ previousPlan: 'GROWTH', plan: 'ENTERPRISE', previousStatus: 'ACTIVE', status: 'PAST_DUE' },
      ...{ actor: 'operator', timestamp },
    });
  });

  test('says which plan begins later, where one does', () => {
    const after: LockedSubscription = { ...BEFORE, nextPlan: 'STARTER', nextPlanAt: LATER };
    expect(changeOf(BEFORE, after, { actor: 'payment-provider' })).toEqual({
      ...{ ...SAME, nextPlan: 'STARTER', nextPlanAt: '2026-02-01T00:00:00.000Z' },
      ...{ actor: 'payment-provider', timestamp },
    });
    expect(changeOf(BEFORE, { ...after, nextPlanAt: null }, { actor: 'x' })).not.toHaveProperty('nextPlan');
    expect(changeOf(BEFORE, { ...after, nextPlan: null }, { actor: 'x' })).not.toHaveProperty('nextPlanAt');
  });

  test('says which entitlement was overridden and why', () => {
    const entitlement = { key: 'messages' as const, previous: 10_000, value: 25_000 };
    expect(changeOf(BEFORE, BEFORE, { actor: 'operator', entitlement, reason: 'Contract of May' })).toEqual({
      ...SAME,
      ...{ entitlement, reason: 'Contract of May', actor: 'operator', timestamp },
    });
  });
});
