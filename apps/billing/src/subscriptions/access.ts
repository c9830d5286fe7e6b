import type { SubscriptionStatus } from '@svc/contracts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Until when an overdue payment is forgiven; undefined where none is. `since` is domain time. */
export function graceEnd(status: SubscriptionStatus, since: Date, graceDays: number): Date | undefined {
  return status === 'PAST_DUE' ? new Date(since.getTime() + graceDays * DAY_MS) : undefined;
}

/** Whether sends, new sessions and connecting are allowed at `now`, in domain time. */
export function isActive(status: SubscriptionStatus, graceEndsAt: Date | undefined, now: Date): boolean {
  if (status === 'TRIALING' || status === 'ACTIVE') return true;
  return graceEndsAt !== undefined && now < graceEndsAt;
}
