import type { Entitlements, SubscriptionStatus, TokenRefusal } from '@svc/contracts';
import { tokensIncluded } from './entitlements.js';

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

/** The refusal of sends until the month ends: of a tenant that is blocked instead of billed, once its tokens are used up. */
export function tokenRefusal(entitlements: Entitlements, month: MonthOfTokens): TokenRefusal | undefined {
  const limit = tokensIncluded(entitlements, month.included);
  const { used, monthEndsAt, now } = month;
  if (limit === null || entitlements.overage === 'bill' || used < limit) return undefined;
  const retryAfterSeconds = Math.max(1, Math.ceil((monthEndsAt.getTime() - now.getTime()) / 1000));
  return { layer: 'tokens', limit, used, resetAt: monthEndsAt.toISOString(), retryAfterSeconds };
}
