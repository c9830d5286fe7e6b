import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Envelope } from '@svc/contracts';
import { FairPlaces, log, PeriodicTasks, UnderWay } from '@svc/service';
import { DataSource } from 'typeorm';
import { EndpointRepository } from '../endpoints/endpoint.repository.js';
import { noteDeletion } from './session-deletion.js';

const SWEEP_MS = 500;
const BATCH = 20;
/** Tenants whose endpoints this process deletes at the same time: how long it takes depends on how many deliveries wait for one. */
const PLACES = 4;

// The time is that of the server's clock. What waited when the session was deleted goes out first, such as `message.failed`, for a minute
// at most; an endpoint that is not active has nobody to wait for. The claim keeps other processes away, and comes round again after a
// crash.
const CLAIM_SQL = `UPDATE session_deletion SET due_at = clock_timestamp() + interval '10 seconds'
  WHERE session_id IN (
    SELECT session_id FROM session_deletion deletion
    WHERE due_at <= statement_timestamp() AND tenant_id <> ALL($1::uuid[]) AND (
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
 * the session and comes late makes no endpoint any more. Tenants take turns: who has many deletions does not hold up the others.
 */
@Injectable()
export class SessionDeletionsService implements OnModuleDestroy {
  private readonly places = new FairPlaces('session deletions', PLACES);
  /** Tenants whose deletions wait or are under way. */
  private readonly busy = new Set<string>();
  private readonly turns = new UnderWay();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rows: EndpointRepository,
    tasks: PeriodicTasks,
  ) {
    tasks.add('session deletions', SWEEP_MS, (stopping) => this.sweep(stopping));
  }

  /** Waits for the deletions that are under way; Nest calls it. */
  onModuleDestroy(): Promise<void> {
    return this.turns.settled();
  }

  /** Takes in the event of a deletion. @throws what says that it is to be handed out again, or never can be taken in. */
  async take(event: Envelope): Promise<void> {
    await this.dataSource.transaction((tx) => noteDeletion(tx, event));
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [due] = await this.dataSource.query<[Deletion[], number]>(CLAIM_SQL, [[...this.busy]]);
    for (const tenantId of new Set(due.map((deletion) => deletion.tenantId))) {
      this.busy.add(tenantId);
      const own = due.filter((deletion) => deletion.tenantId === tenantId);
      const turn = this.places
        .run(tenantId, () => this.carryOutAll(own), stopping)
        .catch((error: unknown) => {
          if (!stopping.aborted) log().warn({ err: error }, 'deletions of sessions go on later');
        })
        .finally(() => this.busy.delete(tenantId));
      void this.turns.add(turn);
    }
  }

  private async carryOutAll(due: Deletion[]): Promise<void> {
    for (const deletion of due) await this.carryOut(deletion);
  }

  private async carryOut({ sessionId, tenantId, actor }: Deletion): Promise<void> {
    const endpoint = await this.rows.find({ tenantId, sessionId });
    if (endpoint) await this.rows.delete(endpoint, actor ?? undefined);
    await this.dataSource.query(DONE_SQL, [sessionId]);
    if (endpoint) log().info({ sessionId, endpointId: endpoint.id }, 'endpoint of a deleted session deleted');
  }
}
