import { Type } from 'class-transformer';
import { IsDefined, IsIn, IsISO8601, IsOptional, IsString, ValidateNested } from 'class-validator';
import { defineEvent } from '../contract.js';
import {
  ENTITLEMENT_KEYS,
  type EntitlementKey,
  type EntitlementValue,
  type Plan,
  PLANS,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from '../enums.js';

/** The change of one entitlement in `subscription.changed`. */
export class EntitlementChange {
  @IsIn(ENTITLEMENT_KEYS) key: EntitlementKey;
  @IsDefined() previous: EntitlementValue;
  @IsDefined() value: EntitlementValue;
}

/** Payload of `subscription.changed`: what it was and what it is, and which entitlement was overridden, if one was. */
export class SubscriptionChangedV1 {
  @IsIn(PLANS) previousPlan: Plan;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) previousStatus: SubscriptionStatus;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  /** A smaller plan that begins later, and when. */
  @IsOptional() @IsIn(PLANS) nextPlan?: Plan;
  @IsOptional() @IsISO8601() nextPlanAt?: string;
  @IsOptional() @ValidateNested() @Type(() => EntitlementChange) entitlement?: EntitlementChange;
  /** Reason for an override. */
  @IsOptional() @IsString() reason?: string;
  /** `operator` or `payment-provider`. */
  @IsString() actor: string;
  /** Time of the change, in domain time (ISO 8601, UTC). */
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
