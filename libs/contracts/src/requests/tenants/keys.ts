import { Type } from 'class-transformer';
import {
  IsArray,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { type Scope } from '../../enums.js';
import { TenantRef } from '../refs.js';
import { IsOperatorName } from './operator-name.js';

/** Request of `create-key` (operator). */
export class CreateKeyV1 {
  @IsUUID() tenantId: string;
  @IsOptional() @IsString() @Length(1, 100) name?: string;
  @IsOperatorName() operator?: string;
}

/** Reply of `create-key`; the key is shown this once. */
export class NewTenantKey {
  @IsUUID() tenantId: string;
  @IsString() apiKey: string;
  @IsString() kid: string;
}

/** Key of a tenant in a list. */
export class TenantKey {
  @IsString() kid: string;
  @IsString() name: string;
  @IsArray() @IsString({ each: true }) scopes: Scope[];
  @IsISO8601() createdAt: string;
  /** Null: it does not end by itself. */
  @IsOptional() @IsISO8601() expiresAt: string | null;
  /** Null: it was never used. */
  @IsOptional() @IsISO8601() lastUsedAt: string | null;
}

/** Reply of `list-keys`. */
export class TenantKeysReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => TenantKey) items: TenantKey[];
}

/** Request of `revoke-key` (operator). */
export class RevokeKeyV1 {
  @IsUUID() tenantId: string;
  @IsString() @Matches(/^[A-Za-z0-9]{12}$/, { message: 'kid must be 12 letters or digits' }) kid: string;
  @IsOperatorName() operator?: string;
}

/** Reply of `revoke-key`. */
export class RevokedTenantKey {
  @IsUUID() tenantId: string;
  @IsString() kid: string;
}

const APP = 'api-gateway';
/** Makes a key of a tenant that may do everything and has no end, whatever the tenant has (operator). */
export const CreateKey = defineRequest(APP, 'create-key', CreateKeyV1, NewTenantKey);
/** Reads the keys of a tenant, newest first: those that work and those whose time has ended lately (operator). */
export const ListKeys = defineRequest(APP, 'list-keys', TenantRef, TenantKeysReply);
/** Revokes a key of a tenant, also its last one (operator). */
export const RevokeKey = defineRequest(APP, 'revoke-key', RevokeKeyV1, RevokedTenantKey);
