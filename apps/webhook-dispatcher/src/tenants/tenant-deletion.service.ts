import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DeletedTenantRows, DeleteTenantRowsV1 } from '@svc/contracts';
import { deleteTenantRows, OF_TENANT, OUTBOX_ROWS, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';
import { EndpointChanges } from '../ownership/endpoint-changes.js';

// Attempts name no tenant: they go with their events, each of which is the last to go.
const ROWS: readonly TenantRows[] = [
  { table: 'webhook_endpoint', where: OF_TENANT },
  { table: 'webhook_replay', where: OF_TENANT },
  { table: 'webhook_delivery', where: OF_TENANT },
  { table: 'webhook_dlq', where: OF_TENANT },
  {
    table: 'webhook_attempt',
    where: `event_id IN (SELECT id FROM webhook_event WHERE ${OF_TENANT})`,
  },
  { table: 'webhook_event', where: OF_TENANT },
  { table: 'session_deletion', where: OF_TENANT },
  { table: 'erased_contact', where: OF_TENANT },
  { table: 'audit_outbox', where: OF_TENANT },
  OUTBOX_ROWS,
];

const ENDPOINTS_SQL = `SELECT id FROM webhook_endpoint WHERE ${OF_TENANT}`;

/** This service deletes what the dispatcher keeps of a tenant: its endpoints first, so that nothing new is made for them. */
@Injectable()
export class TenantDeletionService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: EndpointChanges,
  ) {}

  async delete({ tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    const endpoints = await this.dataSource.query<{ id: string }[]>(ENDPOINTS_SQL, [tenantId]);
    const rows = await deleteTenantRows(this.dataSource, 'webhooks', ROWS, [tenantId, sessionIds]);
    await Promise.all(endpoints.map(({ id }) => this.changes.announce({ tenantId, endpointId: id })));
    return rows;
  }
}
