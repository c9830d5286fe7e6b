import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DeletedTenantRows, DeleteTenantLimits, DeleteTenantRowsV1 } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { deleteTenantRows, OF_TENANT, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';

const OF_NUMBERS = `(session_id = ANY($2::uuid[]) OR session_id IN (SELECT session_id FROM warmup WHERE ${OF_TENANT}))`;

// The row of a number last: it says which are the tenant's.
const ROWS: readonly TenantRows[] = [
  { table: 'reservation', where: OF_TENANT },
  { table: 'llm_call', where: OF_TENANT },
  { table: 'tier_promotion', where: OF_TENANT },
  {
    table: 'quota',
    where: `scope = 'tenant' AND id = $1::uuid
      OR scope = 'session' AND (id = ANY($2::uuid[]) OR id IN (SELECT session_id FROM warmup WHERE ${OF_TENANT}))`,
  },
  { table: 'warmup_day', where: OF_NUMBERS },
  { table: 'warmup_contact', where: `${OF_TENANT} OR ${OF_NUMBERS}` },
  { table: 'warmup_mishap', where: OF_NUMBERS },
  { table: 'warmup', where: OF_TENANT },
  { table: 'audit_outbox', where: OF_TENANT },
];

/** This consumer takes the deletion of a tenant, and deletes what was counted of it and of its numbers. */
@Controller()
export class TenantsConsumer {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  @OnRequest(DeleteTenantLimits)
  delete(@Payload() { tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    return deleteTenantRows(this.dataSource, 'limits', ROWS, [tenantId, sessionIds]);
  }
}
