import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { SetSuspensionV1 } from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { EndpointChanges } from '../ownership/endpoint-changes.js';

// An endpoint that its tenant has paused or disabled stays as it is. Answers to attempts from before the suspension do not count after it.
const SUSPEND_SQL = `UPDATE webhook_endpoint SET state = 'PAUSED', suspended = true, version = version + 1
  WHERE tenant_id = $1 AND state = 'ACTIVE' RETURNING id`;
const RESUME_SQL = `UPDATE webhook_endpoint SET suspended = false, version = version + 1,
    state = CASE state WHEN 'PAUSED' THEN 'ACTIVE' ELSE state END, generation = generation + 1
  WHERE tenant_id = $1 AND suspended RETURNING id`;

/**
 * This service suspends the endpoints of a tenant. They are paused, and what comes for them is held, as for any paused endpoint; nobody is
 * told of it, because nobody listens.
 */
@Injectable()
export class SuspensionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: EndpointChanges,
  ) {}

  async set({ tenantId, suspended }: SetSuspensionV1): Promise<void> {
    const sql = suspended ? SUSPEND_SQL : RESUME_SQL;
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(sql, [tenantId]);
    log().info({ tenantId, suspended, endpoints: rows.length }, 'a suspension is set');
    await Promise.all(rows.map(({ id: endpointId }) => this.changes.announce({ tenantId, endpointId })));
  }
}
