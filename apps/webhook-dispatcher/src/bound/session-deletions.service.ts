import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Envelope } from '@svc/contracts';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { EndpointRepository } from '../endpoints/endpoint.repository.js';
import { noteDeletion } from './session-deletion.js';

const SWEEP_MS = 500;
const BATCH = 20;

// The time is that of the server's clock. What waited when the session was deleted goes out first, such as `message.failed`, for a minute
// at most; an endpoint that is not active has nobody to wait for. The claim keeps other processes away, and comes round again after a
// crash.
const CLAIM_SQL = `UPDATE session_deletion SET due_at = clock_timestamp() + interval '10 seconds'
  WHERE session_id IN (
    SELECT session_id FROM session_deletion deletion
    WHERE due_at <= statement_timestamp() AND (
      noted_at < statement_timestamp() - interval '1 minute'
      OR NOT EXISTS (
        SELECT FROM webhook_endpoint endpoint JOIN webhook_delivery hot ON hot.endpoint_id = endpoint.id
        WHERE endpoint.tenant_id = deletion.tenant_id AND endpoint.session_id = deletion.session_id
          AND endpoint.state = 'ACTIVE'))
    ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING session_id AS "sessionId", tenant_id AS "tenantId", actor`;
const DONE_SQL = 'UPDATE session_deletion SET due_at = NULL WHERE session_id = $1';

interface Deletion {
  sessionId: string;
  tenantId: string;
  actor: string | null;
}

/**
 * This service deletes the endpoint that is bound to a session when the session is deleted, and records the deletion: a call that enables
 * the session and comes late makes no endpoint any more.
 */
@Injectable()
export class SessionDeletionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rows: EndpointRepository,
    tasks: PeriodicTasks,
  ) {
    tasks.add('session deletions', SWEEP_MS, () => this.sweep());
  }

  /** Takes in the event of a deletion. @throws what says that it is to be handed out again, or never can be taken in. */
  async take(event: Envelope): Promise<void> {
    await this.dataSource.transaction((tx) => noteDeletion(tx, event));
  }

  private async sweep(): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [due] = await this.dataSource.query<[Deletion[], number]>(CLAIM_SQL);
    for (const deletion of due) await this.carryOut(deletion);
  }

  private async carryOut({ sessionId, tenantId, actor }: Deletion): Promise<void> {
    const endpoint = await this.rows.find({ tenantId, sessionId });
    if (endpoint) await this.rows.delete(endpoint, actor ?? undefined);
    await this.dataSource.query(DONE_SQL, [sessionId]);
    if (endpoint) log().info({ sessionId, endpointId: endpoint.id }, 'endpoint of a deleted session deleted');
  }
}
