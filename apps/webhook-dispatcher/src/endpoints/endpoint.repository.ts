import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { EndpointStatus } from '@svc/contracts';
import { OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { changedFields, insertChangeEvent, insertStateEvents } from './endpoint-events.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { Endpoint } from './endpoint.entity.js';

/** Names one endpoint: by its id, or by the session it is bound to. */
export type EndpointKey = { tenantId: string } & ({ id: string } | { sessionId: string });

/** The fields of a new endpoint; the headers are not sealed yet. */
type NewEndpoint = Pick<Endpoint, 'tenantId' | 'sessionId' | 'name' | 'url' | 'events'> &
  Partial<Pick<Endpoint, 'headers' | 'standardWebhooks' | 'ordering'>>;

/** This repository creates, reads, changes and deletes endpoints, and writes with each change the events that tell of it. */
@Injectable()
export class EndpointRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: EndpointSecrets,
    private readonly outbox: OutboxService,
  ) {}

  /** Creates an endpoint with a secret of its own. */
  async create(
    fields: NewEndpoint,
    actor: string | undefined,
  ): Promise<{ endpoint: Endpoint; secret: string }> {
    const { tenantId, sessionId } = fields;
    const id = uuidv7();
    const secret = this.secrets.create();
    const { endpoint, events } = await this.dataSource.transaction(async (tx) => {
      await this.insert(tx, id, secret, fields);
      // A session has one endpoint: of two calls at once, the second finds what the first has made.
      const where = sessionId === null ? { id } : { tenantId, sessionId };
      const endpoint = await tx.findOneByOrFail(Endpoint, where);
      if (endpoint.id !== id) return { endpoint, events: [] };
      const now = await domainNow(tx, tenantId);
      return { endpoint, events: [await insertChangeEvent(tx, endpoint, { change: 'created', actor, now })] };
    });
    this.outbox.publish(events);
    return { endpoint, secret };
  }

  async find(where: EndpointKey): Promise<Endpoint | null> {
    return this.dataSource.getRepository(Endpoint).findOneBy(where);
  }

  /**
   * Changes an endpoint that `where` names; `change` works on the locked row and gets the domain time. Of a pause the tenant gets an
   * event; what is held for one that becomes active again is taken up by the owner of its partition. Where fields have changed, the audit
   * log gets an event that `actor` did it.
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
      if (endpoint.state !== before.state) applyState(endpoint, before.state, now);
      await tx.save(endpoint);
      const paused = endpoint.state === 'PAUSED' && before.state !== 'PAUSED' ? [endpoint.id] : [];
      const events = await insertStateEvents(tx, { paused, recovered: [] });
      const fields = changedFields(before, endpoint);
      if (fields.length > 0)
        events.push(await insertChangeEvent(tx, endpoint, { change: 'updated', fields, actor, now }));
      return { endpoint, events };
    });
    this.outbox.publish(done?.events ?? []);
    return done?.endpoint;
  }

  /** Deletes the row of an endpoint, with an event for the audit log. Without effect where it is gone. */
  async delete(endpoint: Endpoint, actor: string | undefined): Promise<void> {
    const { id, tenantId } = endpoint;
    const events = await this.dataSource.transaction(async (tx) => {
      const { affected } = await tx.delete(Endpoint, { id, tenantId });
      if (!affected) return [];
      const now = await domainNow(tx, tenantId);
      return [await insertChangeEvent(tx, endpoint, { change: 'deleted', actor, now })];
    });
    this.outbox.publish(events);
  }

  private async insert(tx: EntityManager, id: string, secret: string, fields: NewEndpoint): Promise<void> {
    const { tenantId } = fields;
    const secretEnc = this.secrets.seal(secret, { id, tenantId });
    const createdAt = (): string => 'svc_now()';
    await tx
      .createQueryBuilder()
      .insert()
      .into(Endpoint)
      .values({
        ...fields,
        id,
        secretEnc,
        headers: this.secrets.sealHeaders(fields.headers ?? {}, { id, tenantId }),
        standardWebhooks: fields.standardWebhooks ?? false,
        ordering: fields.ordering ?? 'CONVERSATION',
        state: 'ACTIVE',
        createdAt,
        version: 1,
        generation: 1,
        consecPerm4xx: 0,
      })
      .orIgnore()
      .execute();
  }
}

function applyState(endpoint: Endpoint, before: EndpointStatus, now: Date): void {
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

/** Reads the domain time of a tenant in the database. */
export async function domainNow(db: Pick<EntityManager, 'query'>, tenantId: string): Promise<Date> {
  const [row] = await db.query<{ now: Date }[]>('SELECT svc_now($1) AS now', [tenantId]);
  return row?.now ?? new Date();
}
