import { AppError, type DayOf, type Entitlements, type SubscriptionState } from '@svc/contracts';

/**
 * Reads what a tenant may use, as `billing` says it.
 * @throws AppError `UPSTREAM_UNAVAILABLE` where `billing` is of an earlier release, which says the plan only.
 */
export function entitlementsOf({ entitlements }: SubscriptionState): Entitlements {
  if (!entitlements) throw new AppError('UPSTREAM_UNAVAILABLE');
  return entitlements;
}

/** Makes what a question to `limits` says of its tenant; plan and `internal` are for a `limits` of an earlier release. */
export function dayOf(subscription: SubscriptionState): DayOf {
  const { tenantId, plan, internal } = subscription;
  const { messages, calls } = entitlementsOf(subscription);
  return { tenantId, plan, internal, caps: { messages, calls } };
}
