import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
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

/** Break of an audit chain. */
export class AuditBreak {
  @IsUUID() tenantId: string;
  /** Place of the first entry that is wrong or missing. */
  @IsInt() place: number;
  @IsString() problem: string;
}

/** Reply of `verify-audit-log`. */
export class AuditVerdict {
  @IsInt() tenants: number;
  @IsInt() entries: number;
  @IsArray() @ValidateNested({ each: true }) @Type(() => AuditBreak) breaks: AuditBreak[];
}

/** A fact that belongs into a tenant's audit log, as the owner of the change writes it. Never a secret. */
export class AuditFact {
  /** The id of the entry: a fact that is delivered twice becomes one entry. */
  @IsUUID() id: string;
  @IsUUID() tenantId: string;
  /** Time of the change. */
  @IsISO8601() at: string;
  /** Actor: `key:<kid>`, `operator` or `operator:<name>`, `payment-provider` or `system`. */
  @IsString() actor: string;
  @IsString() action: string;
  @IsString() target: string;
  @IsOptional() @IsString() reason?: string;
  @IsObject() details: Record<string, unknown>;
}

/** In place of a tenant: the log of what the operator did that no log of a tenant can keep. */
export const OPERATOR_LOG = '00000000-0000-0000-0000-000000000000';

/** The most facts of one request. */
export const MOST_AUDIT_FACTS = 50;

/** Request of `append-audit-facts`. */
export class AppendAuditFactsV1 {
  @IsArray()
  @ArrayMaxSize(MOST_AUDIT_FACTS)
  @ValidateNested({ each: true })
  @Type(() => AuditFact)
  facts: AuditFact[];
}

/** Reply of `append-audit-facts`: ids of the facts that are in the chain now, or were before. */
export class AppendedAuditFacts {
  @IsArray() @IsUUID('all', { each: true }) ids: string[];
}

const APP = 'api-gateway';
/** Appends facts to the chains of their tenants, in their order. One that cannot be appended holds up no other. */
export const AppendAuditFacts = defineRequest(
  APP,
  'append-audit-facts',
  AppendAuditFactsV1,
  AppendedAuditFacts,
);
/** Reads the audit log of a tenant. */
export const GetAuditLog = defineRequest(APP, 'get-audit-log', TenantRef, AuditLogReply);
/** Recomputes the chains of audit logs; what is broken is an answer, not an error. */
export const VerifyAuditLog = defineRequest(APP, 'verify-audit-log', VerifyAuditLogV1, AuditVerdict);
