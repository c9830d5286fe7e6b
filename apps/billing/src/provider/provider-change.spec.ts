import { describe, expect, test } from '@jest/globals';
import { providerChange } from './provider-change.js';

const PERIOD_END = new Date('2026-02-01T00:00:00Z');
const OURS = {
  ...{ plan: 'GROWTH' as const, providerId: 'sub_1', periodEndsAt: PERIOD_END },
  now: new Date('2026-01-15T00:00:00Z'),
};
const THEIRS = { id: 'sub_1', plan: 'GROWTH' as const, status: 'ACTIVE' as const, periodEndsAt: PERIOD_END };
const AT_ONCE = { nextPlan: null, nextPlanAt: null };

describe('at once', () => {
  test('holds a larger plan, and the same one', () => {
    expect(providerChange(OURS, { ...THEIRS, plan: 'ENTERPRISE' })).toEqual({
      ...{ status: 'ACTIVE', plan: 'ENTERPRISE', ...AT_ONCE },
    });
    expect(providerChange(OURS, THEIRS)).toEqual({ status: 'ACTIVE', plan: 'GROWTH', ...AT_ONCE });
  });

  test.each<[string, Partial<typeof OURS> | object, object]>([
    ['that belongs to another subscription', { providerId: 'sub_0' }, {}],
    ['of a tenant that paid for nothing here', { providerId: null, periodEndsAt: null }, {}],
    ['where no period is known to be paid', { periodEndsAt: null }, {}],
    ['that is paid for a period of its own', {}, { periodEndsAt: new Date('2026-02-01T00:00:00.001Z') }],
    ['of a subscription that is not active', {}, { status: 'PAST_DUE' }],
    ['whose period has ended', { now: PERIOD_END }, {}],
  ])('holds a smaller plan %s', (_, ours, theirs) => {
    expect(providerChange({ ...OURS, ...ours }, { ...THEIRS, plan: 'STARTER', ...theirs })).toMatchObject({
      ...{ plan: 'STARTER', ...AT_ONCE },
    });
  });

  test('holds the state, and the plan stays where its price is not configured', () => {
    expect(providerChange(OURS, { ...THEIRS, plan: undefined, status: 'UNPAID' })).toEqual({
      ...{ status: 'UNPAID', plan: 'GROWTH', ...AT_ONCE },
    });
  });
});

test('a smaller plan waits for the end of the period that is paid for', () => {
  const waits = { status: 'ACTIVE', plan: 'GROWTH', nextPlan: 'STARTER', nextPlanAt: PERIOD_END };
  expect(providerChange(OURS, { ...THEIRS, plan: 'STARTER' })).toEqual(waits);
  const now = new Date(PERIOD_END.getTime() - 1);
  expect(providerChange({ ...OURS, now }, { ...THEIRS, plan: 'STARTER' })).toEqual(waits);
});
