import type { SubscriptionStatus } from '@svc/contracts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a tenant whose payment is overdue may go on. */
export const PAST_DUE_GRACE_MS = 7 * DAY_MS;

/** Whether sends, new sessions and connecting are allowed; `now` and `since` are domain time. */
export function isActive(status: SubscriptionStatus, since: Date, now: Date): boolean {
  if (status === 'TRIALING' || status === 'ACTIVE') return true;
  return status === 'PAST_DUE' && now.getTime() - since.getTime() < PAST_DUE_GRACE_MS;
}
