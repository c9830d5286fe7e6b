import {
  AppError,
  type DayOf,
  type Entitlements,
  limitReached,
  MORE_SESSIONS,
  type SessionReply,
  type SessionState,
  type SubscriptionState,
  type TokenRefusal,
} from '@svc/contracts';

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

/** Reads why a session may not send because the tokens of the plan are used up: its own bot uses none, so it goes on in external mode. */
export function tokenRefusalOf(
  { tokenRefusal }: SubscriptionState,
  { botMode }: SessionState,
): TokenRefusal | undefined {
  return botMode === 'MANAGED' ? tokenRefusal : undefined;
}

/** Reads how many sessions a tenant may have; null: any number. */
export function mostSessions(subscription: SubscriptionState): number | null {
  return entitlementsOf(subscription).sessions;
}

/**
 * Says whether the plan has no room for a session, as after a downgrade: the oldest ones keep working. It comes back by itself, with
 * another plan or when an older one is deleted.
 */
export function isReadOnly(subscription: SubscriptionState, { older = 0 }: SessionReply): boolean {
  const most = mostSessions(subscription);
  return most !== null && older >= most;
}

/** Makes the refusal of a request that a read-only session may not carry out, of a tenant that has so many of them. */
export function readOnlyError(subscription: SubscriptionState, used: number): AppError {
  const limit = mostSessions(subscription);
  return limitReached(
    'plan',
    `This session is read-only: the plan has room for ${limit}, and older sessions have it. ${MORE_SESSIONS}`,
    { resource: 'sessions', limit, used },
  );
}
