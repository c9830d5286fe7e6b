import { Type } from 'class-transformer';
import { IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { ProviderView, PutProviderBody } from '../../http/assistant/provider.js';
import { Nothing, TenantRef } from '../refs.js';

/** Request of `set-provider`. */
export class SetProviderV1 extends PutProviderBody {
  @IsUUID() tenantId: string;
  /** Actor for the audit log: `key:<kid>`. */
  @IsString() actor: string;
}

/** Request of `delete-provider`. */
export class DeleteProviderV1 extends TenantRef {
  @IsString() actor: string;
}

/** Reply of requests about the provider of a tenant. */
export class ProviderReply {
  /** Absent: the tenant has none of its own. */
  @IsOptional() @ValidateNested() @Type(() => ProviderView) provider?: ProviderView;
}

const APP = 'assistant';
/** Reads the provider of a tenant. */
export const GetProvider = defineRequest(APP, 'get-provider', TenantRef, ProviderReply);
/** Sets the provider of a tenant; `VALIDATION_FAILED` where its address may not be connected to, or another address shall get the stored key. */
export const SetProvider = defineRequest(APP, 'set-provider', SetProviderV1, ProviderReply);
/** Forgets the provider of a tenant, with its key. */
export const DeleteProvider = defineRequest(APP, 'delete-provider', DeleteProviderV1, Nothing);
