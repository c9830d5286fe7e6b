import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Endpoint } from './endpoint.entity.js';

// Back to where they came from: what drains after a pause goes out in the order in which the events came.
const RESUME_SQL = `UPDATE webhook_delivery hot SET state = 'scheduled', next_at = event.created_at
  FROM webhook_event event WHERE hot.endpoint_id = $1 AND hot.state = 'held' AND event.id = hot.event_id`;

/** Names one endpoint: by its id, or by the session it is bound to. */
export type EndpointKey = { tenantId: string } & ({ id: string } | { sessionId: string });

/** Reads and changes endpoints under a lock on their row. */
@Injectable()
export class EndpointRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async find(where: EndpointKey): Promise<Endpoint | null> {
    return this.dataSource.getRepository(Endpoint).findOneBy(where);
  }

  /**
   * Changes an endpoint that `where` names; `change` works on the locked row. A row that becomes active again resumes
   * what was held, in the same transaction.
   * @returns undefined where there is no such endpoint.
   */
  async change(where: EndpointKey, change: (endpoint: Endpoint) => void): Promise<Endpoint | undefined> {
    return this.dataSource.transaction(async (tx) => {
      const endpoint = await tx.findOne(Endpoint, { where, lock: { mode: 'pessimistic_write' } });
      if (!endpoint) return undefined;
      const before = endpoint.state;
      change(endpoint);
      endpoint.version += 1;
      if (endpoint.state !== before) await this.stateChanged(tx, endpoint);
      return tx.save(endpoint);
    });
  }

  private async stateChanged(tx: EntityManager, endpoint: Endpoint): Promise<void> {
    const paused = endpoint.state === 'PAUSED';
    endpoint.pausedReason = paused ? 'REQUESTED' : null;
    endpoint.pausedAt = paused ? await domainNow(tx, endpoint.tenantId) : null;
    if (endpoint.state !== 'ACTIVE') return;
    endpoint.generation += 1;
    endpoint.consecPerm4xx = 0;
    await tx.query(RESUME_SQL, [endpoint.id]);
  }
}

async function domainNow(tx: EntityManager, tenantId: string): Promise<Date> {
  const [row] = await tx.query<{ now: Date }[]>('SELECT svc_now($1) AS now', [tenantId]);
  return row?.now ?? new Date();
}
