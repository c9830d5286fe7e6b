import { IsUUID } from 'class-validator';

/** Names a tenant. */
export class TenantRef {
  @IsUUID() tenantId: string;
}

/** Request without fields. */
export class Nothing {}
