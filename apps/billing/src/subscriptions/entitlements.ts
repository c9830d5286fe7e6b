import {
  type EntitlementKey,
  type Entitlements,
  type Plan,
  PLANS,
  type SubscriptionStatus,
  type TokenOverage,
  type TokenRefusal,
} from '@svc/contracts';
import type { BillingConfig } from '../config.js';

/** The numbers of one plan: what it means. */
export type PlanNumbers = { [K in EntitlementKey]: NonNullable<Entitlements[K]> };

/** The operator's overrides of a tenant, by key; a key that is absent is the plan's. */
export type Overrides = Partial<PlanNumbers>;

/** An exempt tenant has no limit of any kind; what happens beyond its tokens never comes up. */
const NO_LIMITS = {
  ...{ sessions: null, messages: null, calls: null, tokens: null, storage: null, pace: null },
  ...{ endpoints: null, keys: null, widgets: null, scheduled: null },
};

/** Rules for tokens beyond those included, in the order of `PLANS`, where the configuration has none. */
const OVERAGES: TokenOverage[] = ['block', 'bill', 'bill'];

/** The plan of a tenant, and the rule for tokens that it keeps whatever the default of its plan is. */
export interface TenantPlan {
  plan: Plan;
  keptOverage: TokenOverage | null;
}

/** Reads what a plan means for a tenant, in numbers, from the configuration. */
export function planNumbers(config: BillingConfig, { plan, keptOverage }: TenantPlan): PlanNumbers {
  const of = <T>(values: T[]): T => values[PLANS.indexOf(plan)] as T;
  return {
    sessions: of(config.sessions),
    messages: of(config.messagesPerDay),
    calls: of(config.callsPerDay),
    tokens: of(config.tokensIncluded),
    overage: config.tokenOverage ? of(config.tokenOverage) : (keptOverage ?? of(OVERAGES)),
    storage: of(config.storageIncluded),
    pace: of(config.requestPace),
    endpoints: of(config.endpointsIncluded),
    keys: of(config.keysIncluded),
    widgets: of(config.widgetsIncluded),
    scheduled: of(config.scheduledIncluded),
  };
}

/** Computes what a tenant may use: the plan's numbers, the overrides in their places, and no limits for the internal tenant. */
export function entitlementsOf(plan: PlanNumbers, overrides: Overrides, isInternal: boolean): Entitlements {
  return { ...plan, ...overrides, ...(isInternal && NO_LIMITS) };
}

/** Counts the tokens that a month includes: never fewer than it has included before, so that nobody pays for what was included. */
export function tokensIncluded({ tokens }: Entitlements, included: number): number | null {
  return tokens === null ? null : Math.max(tokens, included);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Computes until when an overdue payment is forgiven; undefined where none is. `since` is domain time. */
export function graceEnd(status: SubscriptionStatus, since: Date, graceDays: number): Date | undefined {
  return status === 'PAST_DUE' ? new Date(since.getTime() + graceDays * DAY_MS) : undefined;
}

/** Says whether sends, new sessions and connecting are allowed at `now`, in domain time. */
export function isActive(status: SubscriptionStatus, graceEndsAt: Date | undefined, now: Date): boolean {
  if (status === 'TRIALING' || status === 'ACTIVE') return true;
  return graceEndsAt !== undefined && now < graceEndsAt;
}

/** The tokens of the month that runs. */
export interface MonthOfTokens {
  used: number;
  /** The most that the month has included so far. */
  included: number;
  monthEndsAt: Date;
  now: Date;
}

/** Makes the refusal until the month ends: of a tenant that is blocked instead of billed, once its tokens are used up. */
export function tokenRefusal(entitlements: Entitlements, month: MonthOfTokens): TokenRefusal | undefined {
  const limit = tokensIncluded(entitlements, month.included);
  const { used, monthEndsAt, now } = month;
  if (limit === null || entitlements.overage === 'bill' || used < limit) return undefined;
  const retryAfterSeconds = Math.max(1, Math.ceil((monthEndsAt.getTime() - now.getTime()) / 1000));
  return { layer: 'tokens', limit, used, resetAt: monthEndsAt.toISOString(), retryAfterSeconds };
}
