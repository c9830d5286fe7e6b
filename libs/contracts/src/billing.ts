import { IsBoolean, IsIn, IsOptional, IsUUID } from 'class-validator';
import { defineRequest } from './contract.js';
import { type Plan, PLANS, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from './enums.js';

/** Names a tenant. */
export class TenantRef {
  @IsUUID() tenantId: string;
}

/** A tenant's subscription. */
export class SubscriptionState {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  /** The vendor's own tenant: exempt from plan limits. */
  @IsBoolean() internal: boolean;
  /** Whether sends, new sessions and connecting are allowed at this moment; otherwise 402. */
  @IsBoolean() active: boolean;
}

/** Request of `create-subscription`. */
export class CreateSubscriptionV1 {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  @IsBoolean() internal: boolean;
}

/** Request of `set-subscription`; without a plan it keeps the one it has. */
export class SetSubscriptionV1 {
  @IsUUID() tenantId: string;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  @IsOptional() @IsIn(PLANS) plan?: Plan;
}

/** Reads a subscription; `TENANT_NOT_FOUND` when there is none. */
export const GetSubscription = defineRequest('billing', 'get-subscription', TenantRef, SubscriptionState);
/** Makes the subscription of a new tenant; a repeat returns the first. */
export const CreateSubscription = defineRequest(
  'billing',
  'create-subscription',
  CreateSubscriptionV1,
  SubscriptionState,
);
/** Sets state and plan by hand (operator); both hold from the next question on. */
export const SetSubscription = defineRequest(
  'billing',
  'set-subscription',
  SetSubscriptionV1,
  SubscriptionState,
);
