import { PLANS } from '@svc/contracts';
import type { LockedSubscription, SubscriptionChange } from '../subscriptions/subscription-change.js';
import type { ProviderSubscription } from './stripe-provider.js';

type Ours = Pick<LockedSubscription, 'plan' | 'providerId' | 'periodEndsAt' | 'now'>;
type Theirs = Pick<ProviderSubscription, 'id' | 'plan' | 'status' | 'periodEndsAt'>;

/**
 * Computes what changes in our subscription so that it is the provider's: a larger plan holds from now on, a smaller one when the
 * period ends that is paid for (ADR 19). A plan whose price is not configured stays as it is.
 */
export function providerChange(ours: Ours, theirs: Theirs): SubscriptionChange {
  const { status, periodEndsAt, plan = ours.plan } = theirs;
  const isSmaller = PLANS.indexOf(plan) < PLANS.indexOf(ours.plan);
  const isPaid =
    ours.providerId === theirs.id && ours.periodEndsAt !== null && periodEndsAt <= ours.periodEndsAt;
  if (isSmaller && isPaid && status === 'ACTIVE' && periodEndsAt > ours.now) {
    return { status, plan: ours.plan, nextPlan: plan, nextPlanAt: periodEndsAt };
  }
  return { status, plan, nextPlan: null, nextPlanAt: null };
}
