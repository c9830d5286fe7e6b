import { IsBoolean, IsISO8601, IsOptional, IsString, IsUUID, Length } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { Nothing } from '../refs.js';
import { IsOperatorName } from './operator-name.js';

/** Request of `suspend-tenant` and `resume-tenant` (operator). */
export class SuspendTenantV1 {
  @IsUUID() tenantId: string;
  /** Reason, for the audit log. */
  @IsOptional() @IsString() @Length(1, 500) reason?: string;
  @IsOperatorName() operator?: string;
}

/** Reply of `suspend-tenant` and `resume-tenant`. */
export class SuspensionReply {
  @IsUUID() tenantId: string;
  /** Null: it is not suspended. */
  @IsOptional() @IsISO8601() suspendedAt: string | null;
}

/** Request of `set-suspension`: what a service does for the tenant stands still, or goes on. */
export class SetSuspensionV1 {
  @IsUUID() tenantId: string;
  @IsBoolean() suspended: boolean;
}

/** Refuses all that a tenant and its sandbox ask, and lets what waits for them wait (operator). A repeat does what is left to do. */
export const SuspendTenant = defineRequest('api-gateway', 'suspend-tenant', SuspendTenantV1, SuspensionReply);
/** Ends a suspension (operator). A repeat does what is left to do. */
export const ResumeTenant = defineRequest('api-gateway', 'resume-tenant', SuspendTenantV1, SuspensionReply);
/** Stops or continues the sends of a tenant's sessions; they stay connected, and what they receive is kept. */
export const SetSessionSuspension = defineRequest(
  'session-worker',
  'set-suspension',
  SetSuspensionV1,
  Nothing,
);
/** Holds or continues the deliveries to a tenant's endpoints. */
export const SetEndpointSuspension = defineRequest(
  'webhook-dispatcher',
  'set-suspension',
  SetSuspensionV1,
  Nothing,
);
