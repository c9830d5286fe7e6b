import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { EndpointStatus } from '@svc/contracts';
import { OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { insertNews } from './endpoint-news.js';
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
   * @returns undefined where there is no such endpoint.
   */
  async change(
    where: EndpointKey,
    change: (endpoint: Endpoint, now: Date) => void,
  ): Promise<Endpoint | undefined> {
    const done = await this.dataSource.transaction(async (tx) => {
      const endpoint = await tx.findOne(Endpoint, { where, lock: { mode: 'pessimistic_write' } });
      if (!endpoint) return undefined;
      const before = endpoint.state;
      const now = await domainNow(tx, endpoint.tenantId);
      change(endpoint, now);
      endpoint.version += 1;
      if (endpoint.state !== before) stateChanged(endpoint, before, now);
      await tx.save(endpoint);
      const paused = endpoint.state === 'PAUSED' && before !== 'PAUSED' ? [endpoint.id] : [];
      return { endpoint, news: await insertNews(tx, { paused, recovered: [] }) };
    });
    this.outbox.publish(done?.news ?? []);
    return done?.endpoint;
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
