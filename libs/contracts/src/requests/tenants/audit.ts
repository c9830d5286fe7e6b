import { Type } from 'class-transformer';
import { IsArray, IsInt, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { AuditEntry } from '../../http/tenants/audit.js';
import { TenantRef } from '../refs.js';

/** Reply of `get-audit-log`: newest first, at most 1,000. */
export class AuditLogReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => AuditEntry) items: AuditEntry[];
}

/** Request of `verify-audit-log`: one tenant, or all. */
export class VerifyAuditLogV1 {
  @IsOptional() @IsUUID() tenantId?: string;
}

/** Where a chain does not hold. */
export class AuditBreak {
  @IsUUID() tenantId: string;
  /** Of the first entry that is wrong or missing. */
  @IsInt() place: number;
  @IsString() problem: string;
}

/** Reply of `verify-audit-log`. */
export class AuditVerdict {
  @IsInt() tenants: number;
  @IsInt() entries: number;
  @IsArray() @ValidateNested({ each: true }) @Type(() => AuditBreak) breaks: AuditBreak[];
}

const APP = 'api-gateway';
/** Reads the audit log of a tenant. */
export const GetAuditLog = defineRequest(APP, 'get-audit-log', TenantRef, AuditLogReply);
/** Recomputes the chains of audit logs; what is broken is an answer, not an error. */
export const VerifyAuditLog = defineRequest(APP, 'verify-audit-log', VerifyAuditLogV1, AuditVerdict);
