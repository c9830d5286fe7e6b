import { IsOptional, IsString, IsUUID, Length } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { IsOperatorName } from './operator-name.js';

/** Request of `confirm-tenant-name` (operator). */
export class ConfirmTenantNameV1 {
  @IsUUID() tenantId: string;
  /** Name under which the tenant's customers know it; null withdraws it. */
  @IsOptional() @IsString() @Length(1, 60) name: string | null;
  @IsOperatorName() operator?: string;
}

/** Reply of `confirm-tenant-name`. */
export class ConfirmedName {
  @IsUUID() tenantId: string;
  /** Null: the tenant has none, and no link pages. */
  @IsOptional() @IsString() name: string | null;
}

/** Confirms the name that pages for a tenant's customers show, and allows such pages; or withdraws both (operator). */
export const ConfirmTenantName = defineRequest(
  'api-gateway',
  'confirm-tenant-name',
  ConfirmTenantNameV1,
  ConfirmedName,
);
