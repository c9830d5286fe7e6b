import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DeletedTenantRows, DeleteTenantRowsV1 } from '@svc/contracts';
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
  { table: 'linked_number', where: OF_TENANT },
  { table: 'number_tier', where: OF_TENANT },
  { table: 'warmup', where: OF_TENANT },
  { table: 'audit_outbox', where: OF_TENANT },
];

/** This service deletes what was counted of a tenant and of its numbers. */
@Injectable()
export class TenantDeletionService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  delete({ tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    return deleteTenantRows(this.dataSource, 'limits', ROWS, [tenantId, sessionIds]);
  }
}
