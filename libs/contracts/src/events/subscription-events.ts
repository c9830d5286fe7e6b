import { IsIn, IsISO8601, IsOptional, IsString } from 'class-validator';
import { defineEvent } from '../contract.js';
import { type Plan, PLANS, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '../enums.js';

/** Payload of `subscription.changed`: what it was and what it is. */
export class SubscriptionChangedV1 {
  @IsIn(PLANS) previousPlan: Plan;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) previousStatus: SubscriptionStatus;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  /** A smaller plan that begins later, and when. */
  @IsOptional() @IsIn(PLANS) nextPlan?: Plan;
  @IsOptional() @IsISO8601() nextPlanAt?: string;
  /** `operator` or `payment-provider`. */
  @IsString() actor: string;
  /** When, in domain time (ISO 8601, UTC). */
  @IsISO8601() timestamp: string;
}

/** Plan or state of a subscription changed. Internal: no endpoint gets it. */
export const SubscriptionChanged = defineEvent('subscription.changed', 1, SubscriptionChangedV1, {
  public: false,
  summary: 'Plan or state of a subscription changed.',
  by: ['billing'],
});

/** Events of subscriptions. */
export const SUBSCRIPTION_EVENTS = [SubscriptionChanged] as const;
