import {
  IsArray,
  IsBoolean,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { IsOperatorName } from './operator-name.js';

/** Request of `delete-tenant` (operator). */
export class DeleteTenantV1 {
  @IsUUID() tenantId: string;
  /** Reason, for the operator's own log. */
  @IsOptional() @IsString() @Length(1, 500) reason?: string;
  @IsOperatorName() operator?: string;
}

/** Reply of `delete-tenant`: the receipt, filled while the deletion runs. */
export class TenantDeletion {
  @IsUUID() tenantId: string;
  @IsISO8601() requestedAt: string;
  /** Null: it still runs. */
  @IsOptional() @IsISO8601() finishedAt: string | null;
  /** Rows by table, of the sandbox too. */
  @IsObject() deleted: Record<string, number>;
}

/** Request of `delete-tenant-rows`: may come again and again. */
export class DeleteTenantRowsV1 {
  @IsUUID() tenantId: string;
  /** All sessions that the tenant ever had, as far as they are known. */
  @IsArray() @IsUUID('all', { each: true }) sessionIds: string[];
}

/** Reply of `delete-tenant-rows`. */
export class DeletedTenantRows {
  /** Rows by table that this request has deleted. */
  @IsObject() deleted: Record<string, number>;
  /** True where nothing is left. */
  @IsBoolean() done: boolean;
}

/** Begins to delete a tenant and its sandbox, and returns the receipt (operator); a repeat returns it as it is. */
export const DeleteTenant = defineRequest('api-gateway', 'delete-tenant', DeleteTenantV1, TenantDeletion);

const VERB = 'delete-tenant-rows';
/** Unlinks and deletes the sessions of a tenant with all that is theirs, piece by piece. */
export const DeleteTenantSessions = defineRequest(
  'session-worker',
  VERB,
  DeleteTenantRowsV1,
  DeletedTenantRows,
);
/** Deletes endpoints, events and deliveries of a tenant, piece by piece. */
export const DeleteTenantWebhooks = defineRequest(
  'webhook-dispatcher',
  VERB,
  DeleteTenantRowsV1,
  DeletedTenantRows,
);
/** Deletes what is counted of a tenant's numbers, piece by piece. */
export const DeleteTenantLimits = defineRequest('limits', VERB, DeleteTenantRowsV1, DeletedTenantRows);
/** Ends a subscription and deletes what no invoice rests on, piece by piece. */
export const DeleteTenantUsage = defineRequest('billing', VERB, DeleteTenantRowsV1, DeletedTenantRows);
/** Deletes the provider, the settings and the turns of a tenant, piece by piece. */
export const DeleteTenantAssistants = defineRequest('assistant', VERB, DeleteTenantRowsV1, DeletedTenantRows);
