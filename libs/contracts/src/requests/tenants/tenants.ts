import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { type Plan, PLANS, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '../../enums.js';
import { Nothing, TenantRef } from '../refs.js';
import { IsOperatorName } from './operator-name.js';

/** Request of `create-tenant` (operator). */
export class CreateTenantV1 {
  @IsString() @Length(1, 100) name: string;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) subscription: SubscriptionStatus;
  @IsBoolean() internal: boolean;
  @IsOperatorName() operator?: string;
}

/** First sign-in of a new tenant's dashboard; the password is shown this once. */
export class DashboardAccess {
  @IsString() email: string;
  @IsString() password: string;
}

/** Reply of `create-tenant`; the key is shown this once. */
export class NewTenant {
  @IsUUID() tenantId: string;
  @IsString() apiKey: string;
  @IsString() kid: string;
  @ValidateNested() @Type(() => DashboardAccess) dashboard: DashboardAccess;
}

/** Tenant in a list. */
export class TenantSummary {
  @IsUUID() tenantId: string;
  @IsString() name: string;
  @IsIn(PLANS) plan: Plan;
  @IsIn(SUBSCRIPTION_STATUSES) subscription: SubscriptionStatus;
  @IsBoolean() internal: boolean;
  @IsISO8601() createdAt: string;
  /** The tenant whose sandbox this is. */
  @IsOptional() @IsUUID() sandboxOf?: string;
  /** Since when its keys are refused. */
  @IsOptional() @IsISO8601() suspendedAt?: string;
}

/** Reply of `list-tenants`. */
export class TenantsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => TenantSummary) items: TenantSummary[];
}

/** Request of `age-key`: moves a key's times back (development only). */
export class AgeKeyV1 {
  @IsString() @Matches(/^[A-Za-z0-9]{12}$/, { message: 'kid must be 12 letters or digits' }) kid: string;
  @IsNumber() @Min(0) @Max(1_000_000) hours: number;
}

/** Reply of `age-key`. */
export class AgedKey {
  @IsString() kid: string;
  @IsISO8601() createdAt: string;
  @IsOptional() @IsISO8601() expiresAt: string | null;
}

/** Request of `set-clock`: null goes back to real time (development only). */
export class SetClockV1 {
  @IsOptional() @IsISO8601() at: string | null;
}

/** Reply of `set-clock`. */
export class ClockReply {
  /** Domain time from now on, ISO 8601. */
  @IsISO8601() now: string;
  @IsNumber() offsetMs: number;
}

const APP = 'api-gateway';
/** Makes a tenant with its first key, its dashboard user and its subscription. */
export const CreateTenant = defineRequest(APP, 'create-tenant', CreateTenantV1, NewTenant);
/** Reads all tenants. */
export const ListTenants = defineRequest(APP, 'list-tenants', Nothing, TenantsReply);
/** Moves the times of a key back. */
export const AgeKey = defineRequest(APP, 'age-key', AgeKeyV1, AgedKey);
/** Moves domain time. */
export const SetClock = defineRequest(APP, 'set-clock', SetClockV1, ClockReply);
/** Sets the clock of a tenant's sandbox back to real time. */
export const ResetSandboxClock = defineRequest(APP, 'reset-sandbox-clock', TenantRef, ClockReply);
