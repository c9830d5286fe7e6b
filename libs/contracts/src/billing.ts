import { ApiProperty } from '@nestjs/swagger';
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
import { defineEvent, defineRequest } from './contract.js';
import { EntitlementChange, Entitlements } from './entitlements.js';
import {
  type Plan,
  PLANS,
  SUBSCRIPTION_KEEPERS,
  type SubscriptionKeeper,
  SUBSCRIPTION_STATUSES,
  type SubscriptionStatus,
} from './enums.js';

/** Names a tenant. */
export class TenantRef {
  @IsUUID() tenantId: string;
}

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
  /** Whether sends, new sessions and connecting are allowed at this moment; otherwise 402. */
  @IsBoolean() active: boolean;
  /** Who says what plan and status are. */
  @IsOptional() @IsIn(SUBSCRIPTION_KEEPERS) keeper?: SubscriptionKeeper;
  /** Of an overdue one: from then on it is not active (ISO 8601, UTC). */
  @IsOptional() @IsISO8601() graceEndsAt?: string;
  /** A smaller plan that begins when the paid period ends, and when that is. */
  @IsOptional() @IsIn(PLANS) nextPlan?: Plan;
  @IsOptional() @IsISO8601() nextPlanAt?: string;
  /** End of the period that is paid, or of the subscription, as the payment provider says. */
  @IsOptional() @IsISO8601() periodEndsAt?: string;
  @IsOptional() @IsISO8601() cancelsAt?: string;
  @IsOptional() @ValidateNested() @Type(() => TokenRefusal) tokenRefusal?: TokenRefusal;
  /** What the tenant may use, in numbers. Absent from a `billing` of an earlier release. */
  @IsOptional() @ValidateNested() @Type(() => Entitlements) entitlements?: Entitlements;
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
  /** Why, of an override. */
  @IsOptional() @IsString() reason?: string;
  /** `operator` or `payment-provider`. */
  @IsString() actor: string;
  /** When, in domain time (ISO 8601, UTC). */
  @IsISO8601() timestamp: string;
}

/** Request of `open-checkout`. */
export class OpenCheckoutV1 {
  @IsUUID() tenantId: string;
  @IsIn(PLANS) plan: Plan;
}

/** A page of the payment provider for a person's browser; good for a short time. */
export class ProviderPage {
  @ApiProperty({ description: 'Address of the page.', example: 'https://billing.example.com/session/abc' })
  @IsString()
  url: string;
}

/** Longest body of a provider's webhook, in characters: a request over NATS holds no more than 1 MiB. */
export const PROVIDER_EVENT_MAX = 500_000;

/** Request of `take-provider-event`: the body as it came, byte by byte, and its signature. */
export class TakeProviderEventV1 {
  @IsString() @MaxLength(PROVIDER_EVENT_MAX) payload: string;
  @IsString() @MaxLength(4_096) signature: string;
}

/** Reply of `take-provider-event`: kept, or known or of no interest. */
export class ProviderEventReply {
  @IsBoolean() kept: boolean;
}

/** Plan or state of a subscription changed. Internal: no endpoint gets it. */
export const SubscriptionChanged = defineEvent('subscription.changed', 1, SubscriptionChangedV1);
/** Where a person pays for a plan; `SUBSCRIPTION_CONFLICT` where there is no provider, or a subscription already. */
export const OpenCheckout = defineRequest('billing', 'open-checkout', OpenCheckoutV1, ProviderPage);
/** Where a person changes plan or card, and reads invoices; `SUBSCRIPTION_CONFLICT` without a provider. */
export const OpenPortal = defineRequest('billing', 'open-portal', TenantRef, ProviderPage);
/** A webhook of the payment provider; `VALIDATION_FAILED` where the signature does not fit. */
export const TakeProviderEvent = defineRequest(
  'billing',
  'take-provider-event',
  TakeProviderEventV1,
  ProviderEventReply,
);
