import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import {
  type Plan,
  PLANS,
  SUBSCRIPTION_KEEPERS,
  SUBSCRIPTION_STATUSES,
  type SubscriptionKeeper,
  type SubscriptionStatus,
} from '../../enums.js';
import { ProviderPage } from '../../http/tenants/subscription.js';
import { TenantRef } from '../refs.js';
import { IsOperatorName } from '../tenants/operator-name.js';
import { Entitlements } from './entitlements.js';

/** The plan refuses sends until the month ends: its tokens are used up. `meta` of the 429. */
export class TokenRefusal {
  @IsIn(['tokens']) layer: 'tokens';
  @IsInt() limit: number;
  @IsInt() used: number;
  /** First moment of the next month in UTC, ISO 8601. */
  @IsISO8601() resetAt: string;
  /** Whole seconds from now to `resetAt`, at least 1. */
  @IsInt() retryAfterSeconds: number;
}

/** A tenant's subscription. */
export class SubscriptionState {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  /** The vendor's own tenant: exempt from plan limits. */
  @IsBoolean() internal: boolean;
  /** Sends, new sessions and connecting are allowed at this moment; otherwise 402. */
  @IsBoolean() active: boolean;
  /** Keeper of the plan and the status. */
  @IsOptional() @IsIn(SUBSCRIPTION_KEEPERS) keeper?: SubscriptionKeeper;
  /** Time from which on an overdue subscription is not active (ISO 8601, UTC). */
  @IsOptional() @IsISO8601() graceEndsAt?: string;
  /** A smaller plan that begins when the paid period ends, and when that is. */
  @IsOptional() @IsIn(PLANS) nextPlan?: Plan;
  @IsOptional() @IsISO8601() nextPlanAt?: string;
  /** End of the period that is paid, or of the subscription, as the payment provider says. */
  @IsOptional() @IsISO8601() periodEndsAt?: string;
  @IsOptional() @IsISO8601() cancelsAt?: string;
  @IsOptional() @ValidateNested() @Type(() => TokenRefusal) tokenRefusal?: TokenRefusal;
  /** Entitlements of the tenant. Absent from a `billing` of an earlier release. */
  @IsOptional() @ValidateNested() @Type(() => Entitlements) entitlements?: Entitlements;
}

/** Request of `create-subscription`. */
export class CreateSubscriptionV1 {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  @IsBoolean() internal: boolean;
}

/** Request of `set-subscription`; without a plan the subscription stays on its plan. */
export class SetSubscriptionV1 {
  @IsUUID() tenantId: string;
  @IsIn(SUBSCRIPTION_STATUSES) status: SubscriptionStatus;
  @IsOptional() @IsIn(PLANS) plan?: Plan;
  @IsOperatorName() operator?: string;
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

/** Request of `open-checkout`. */
export class OpenCheckoutV1 {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
}

/** Longest body of a provider's webhook, in characters: a request over NATS holds no more than 1 MiB. */
export const PROVIDER_EVENT_MAX = 500_000;

/** Request of `take-provider-event`: the body as it came, byte by byte, and its signature. */
export class TakeProviderEventV1 {
  @IsString() @MaxLength(PROVIDER_EVENT_MAX) payload: string;
  @IsString() @MaxLength(4_096) signature: string;
}

/** Reply of `take-provider-event`: whether the event was stored; a repeat is not, nor one of no interest. */
export class ProviderEventReply {
  @IsBoolean() isStored: boolean;
}

/** Opens the page where a person pays for a plan; `SUBSCRIPTION_CONFLICT` where there is no provider, or a subscription already. */
export const OpenCheckout = defineRequest('billing', 'open-checkout', OpenCheckoutV1, ProviderPage);
/** Opens the page where a person changes plan or card, and reads invoices; `SUBSCRIPTION_CONFLICT` without a provider. */
export const OpenPortal = defineRequest('billing', 'open-portal', TenantRef, ProviderPage);
/** Takes a webhook of the payment provider; `VALIDATION_FAILED` where the signature does not fit. */
export const TakeProviderEvent = defineRequest(
  'billing',
  'take-provider-event',
  TakeProviderEventV1,
  ProviderEventReply,
);
