import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { EndpointStatus } from '@svc/contracts';
import { OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { insertNews } from './endpoint-news.js';
import { changedFields, insertTrace } from './endpoint-traces.js';
import { Endpoint } from './endpoint.entity.js';

/** Names one endpoint: by its id, or by the session it is bound to. */
export type EndpointKey = { tenantId: string } & ({ id: string } | { sessionId: string });

/** Reads and changes endpoints under a lock on their row. */
@Injectable()
export class EndpointRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly outbox: OutboxService,
  ) {}

  async find(where: EndpointKey): Promise<Endpoint | null> {
    return this.dataSource.getRepository(Endpoint).findOneBy(where);
  }

  /**
   * Changes an endpoint that `where` names; `change` works on the locked row and is told the domain time. Of one that is
   * paused the tenant is told; what is held for one that becomes active again is taken up by the owner of its partition.
   * Where fields have changed, the audit log is told that `actor` did it.
   * @returns undefined where there is no such endpoint.
   */
  async change(
    where: EndpointKey,
    change: (endpoint: Endpoint, now: Date) => void,
    actor?: string,
  ): Promise<Endpoint | undefined> {
    const done = await this.dataSource.transaction(async (tx) => {
      const endpoint = await tx.findOne(Endpoint, { where, lock: { mode: 'pessimistic_write' } });
      if (!endpoint) return undefined;
      const before = { ...endpoint };
      const now = await domainNow(tx, endpoint.tenantId);
      change(endpoint, now);
      endpoint.version += 1;
      if (endpoint.state !== before.state) stateChanged(endpoint, before.state, now);
      await tx.save(endpoint);
      const paused = endpoint.state === 'PAUSED' && before.state !== 'PAUSED' ? [endpoint.id] : [];
      const news = await insertNews(tx, { paused, recovered: [] });
      const fields = changedFields(before, endpoint);
      if (fields.length > 0)
        news.push(await insertTrace(tx, endpoint, { change: 'updated', fields, actor, now }));
      return { endpoint, news };
    });
    this.outbox.publish(done?.news ?? []);
    return done?.endpoint;
  }

  /** Deletes the row of an endpoint, and tells the audit log. Without effect where it is gone. */
  async delete(endpoint: Endpoint, actor: string | undefined): Promise<void> {
    const { id, tenantId } = endpoint;
    const traces = await this.dataSource.transaction(async (tx) => {
      const { affected } = await tx.delete(Endpoint, { id, tenantId });
      if (!affected) return [];
      const now = await domainNow(tx, tenantId);
      return [await insertTrace(tx, endpoint, { change: 'deleted', actor, now })];
    });
    this.outbox.publish(traces);
  }
}

function stateChanged(endpoint: Endpoint, before: EndpointStatus, now: Date): void {
  if (endpoint.state === 'PAUSED') {
    endpoint.pausedReason = 'REQUESTED';
    endpoint.pausedAt = now;
    endpoint.pausedRun = endpoint.consecPerm4xx;
    endpoint.recovering = false;
  }
  // One that is switched off and on again meanwhile recovers all the same.
  if (before === 'PAUSED') endpoint.recovering = true;
  if (endpoint.state !== 'ACTIVE') return;
  endpoint.generation += 1;
  endpoint.consecPerm4xx = 0;
}

/** Domain time of a tenant, as the database has it. */
export async function domainNow(db: Pick<EntityManager, 'query'>, tenantId: string): Promise<Date> {
  const [row] = await db.query<{ now: Date }[]>('SELECT svc_now($1) AS now', [tenantId]);
  return row?.now ?? new Date();
}
