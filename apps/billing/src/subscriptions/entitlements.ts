import type { EntitlementKey, Entitlements } from '@svc/contracts';

/** The numbers of one plan: what it means. */
export type PlanNumbers = { [K in EntitlementKey]: NonNullable<Entitlements[K]> };

/** The operator's overrides of a tenant, by key; a key that is absent is the plan's. */
export type Overrides = Partial<PlanNumbers>;

/** An exempt tenant has no limit of any kind; what happens beyond its tokens never comes up. */
const NO_LIMITS = { sessions: null, messages: null, calls: null, tokens: null, storage: null, pace: null };

/** Computes what a tenant may use: the plan's numbers, the overrides in their places, and no limits for the internal tenant. */
export function entitlementsOf(plan: PlanNumbers, overrides: Overrides, isInternal: boolean): Entitlements {
  return { ...plan, ...overrides, ...(isInternal && NO_LIMITS) };
}

/** The tokens that a month includes: never fewer than it has included before, so that nobody pays for what was included. */
export function tokensIncluded({ tokens }: Entitlements, included: number): number | null {
  return tokens === null ? null : Math.max(tokens, included);
}
