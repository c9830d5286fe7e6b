import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type AuditFact,
  type EndpointStatus,
  type Envelope,
  UNNAMED_EVENTS,
  type WebhookEndpoint,
} from '@svc/contracts';
import { AuditOutbox, insertAuditFacts, OutboxService } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { EndpointChanges } from '../ownership/endpoint-changes.js';
import { type AuditLine, type AuditOrigin, changeLine, factsOf, updateLines } from './endpoint-audit.js';
import { insertStateEvents } from './endpoint-events.js';
import { DEFAULT_ASPECTS } from '../filters/hears.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { applyState, isNewPause } from './endpoint-state.js';
import { toView } from './endpoint-view.js';
import { Endpoint } from './endpoint.entity.js';

/** Names one endpoint: by its id, or by the session it is bound to. */
export type EndpointKey = { tenantId: string } & ({ id: string } | { sessionId: string });

/** The fields of a new endpoint; the headers are not sealed yet. */
type NewEndpoint = Pick<Endpoint, 'tenantId' | 'sessionId' | 'name' | 'url' | 'events'> &
  Partial<Pick<Endpoint, 'hears' | 'headers' | 'standardWebhooks' | 'ordering'>>;

/** A change of an endpoint that is committed. */
interface EndpointChange {
  endpoint: Endpoint;
  events: Envelope[];
  facts: AuditFact[];
}

// Endpoints of two sessions hear of nothing together. A filter that is empty stands for the events of $6.
const SAME_URL_SQL = `SELECT id FROM webhook_endpoint WHERE tenant_id = $1 AND url = $2 AND id <> $3 AND state <> 'DISABLED'
    AND (session_id IS NULL OR $4::uuid IS NULL) AND CASE events WHEN '{}' THEN $6 ELSE events END && CASE $5::text[] WHEN '{}' THEN $6::text[] ELSE $5 END
  ORDER BY id`;

/**
 * This repository creates, reads, changes and deletes endpoints, and writes with each change the events and the audit facts of it. A call
 * returns when the owner of the partition has confirmed the change and its lines are in the audit log, or after the patience of either.
 */
@Injectable()
export class EndpointRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly secrets: EndpointSecrets,
    private readonly outbox: OutboxService,
    private readonly audit: AuditOutbox,
    private readonly changes: EndpointChanges,
  ) {}

  /**
   * Creates an endpoint with a secret of its own; one that is bound to a session only where the session has none.
   * @param check runs before, in the same transaction.
   */
  async create(
    fields: NewEndpoint,
    actor: string | undefined,
    check: (tx: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<{ endpoint: Endpoint; secret: string; isNew: boolean }> {
    const { tenantId, sessionId } = fields;
    const id = uuidv7();
    const secret = this.secrets.create();
    const made = await this.dataSource.transaction(async (tx) => {
      await check(tx);
      await this.insert(tx, id, secret, fields);
      // A session has one endpoint: of two calls at the same time, the second finds the endpoint of the first.
      const where = sessionId === null ? { id } : { tenantId, sessionId };
      const endpoint = await tx.findOneByOrFail(Endpoint, where);
      const lines = endpoint.id === id ? [changeLine('created', endpoint)] : [];
      return this.writeFacts(tx, endpoint, { lines, actor, at: await domainNow(tx, tenantId) });
    });
    await this.publish(made);
    return { endpoint: made.endpoint, secret, isNew: made.endpoint.id === id };
  }

  async find(where: EndpointKey): Promise<Endpoint | null> {
    return this.dataSource.getRepository(Endpoint).findOneBy(where);
  }

  /** Makes the view of an endpoint, with those that post events of it to the same address. */
  async viewOf(endpoint: Endpoint): Promise<WebhookEndpoint> {
    const { tenantId, url, id, sessionId, events } = endpoint;
    const asked = [tenantId, url, id, sessionId, events, UNNAMED_EVENTS];
    const rows = await this.dataSource.query<{ id: string }[]>(SAME_URL_SQL, asked);
    return { ...toView(endpoint), ...(rows.length > 0 && { sameUrlAs: rows.map((row) => row.id) }) };
  }

  /**
   * Changes an endpoint that `where` names; `change` works on the locked row, gets the domain time, and returns what the audit log has to
   * say besides the fields that differ. Another address lifts a pause. Of a pause the tenant gets an event; what is held for one that
   * becomes active again is taken up by the owner of its partition.
   * @returns undefined where there is no such endpoint.
   */
  async change(
    where: EndpointKey,
    actor: string | undefined,
    change: (endpoint: Endpoint, now: Date) => AuditLine[],
  ): Promise<Endpoint | undefined> {
    const changed = await this.dataSource.transaction(async (tx) => {
      const endpoint = await tx.findOne(Endpoint, { where, lock: { mode: 'pessimistic_write' } });
      if (!endpoint) return undefined;
      const before = { ...endpoint };
      const at = await domainNow(tx, endpoint.tenantId);
      const lines = change(endpoint, at);
      endpoint.version += 1;
      lines.push(...applyState(endpoint, before, at));
      await tx.save(endpoint);
      const paused = isNewPause(before, endpoint) ? [endpoint.id] : [];
      const events = await insertStateEvents(tx, { paused, recovered: [] });
      const all = [...updateLines(before, endpoint), ...lines];
      return { ...(await this.writeFacts(tx, endpoint, { lines: all, actor, at })), events };
    });
    if (changed) await this.publish(changed);
    return changed?.endpoint;
  }

  /**
   * Deletes an endpoint and the deliveries that wait for it, in this order: a delivery that still comes in finds no endpoint.
   * @param only deletes it in this state alone.
   * @returns whether it was there to delete.
   */
  async delete(
    endpoint: Endpoint,
    actor: string | undefined,
    only: { state?: EndpointStatus } = {},
  ): Promise<boolean> {
    const { id, tenantId } = endpoint;
    const deleted = await this.dataSource.transaction(async (tx) => {
      const { affected } = await tx.delete(Endpoint, { id, tenantId, ...only });
      if (!affected) return undefined;
      const lines = [changeLine('deleted', endpoint)];
      return this.writeFacts(tx, endpoint, { lines, actor, at: await domainNow(tx, tenantId) });
    });
    if (!deleted) return false;
    await this.publish(deleted);
    await this.dataSource.query('DELETE FROM webhook_delivery WHERE endpoint_id = $1', [id]);
    return true;
  }

  private async writeFacts(
    tx: EntityManager,
    endpoint: Endpoint,
    { lines, ...origin }: AuditOrigin & { lines: AuditLine[] },
  ): Promise<EndpointChange> {
    const facts = factsOf(endpoint.tenantId, lines, origin);
    await insertAuditFacts(tx, facts);
    return { endpoint, events: [], facts };
  }

  private async publish({ endpoint: { id, tenantId }, events, facts }: EndpointChange): Promise<void> {
    this.outbox.publish(events);
    await Promise.all([this.changes.announce({ tenantId, endpointId: id }), this.audit.deliver(facts)]);
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
        hears: fields.hears ?? [...DEFAULT_ASPECTS],
        standardWebhooks: fields.standardWebhooks ?? false,
        ordering: fields.ordering ?? 'CONVERSATION',
        state: 'ACTIVE',
        createdAt,
        version: 1,
        generation: 1,
        consecPerm4xx: 0,
        modeVersion: 0,
      })
      .orIgnore()
      .execute();
  }
}

/** Reads the domain time of a tenant in the database. */
export async function domainNow(db: Pick<EntityManager, 'query'>, tenantId: string): Promise<Date> {
  const [row] = await db.query<{ now: Date }[]>('SELECT svc_now($1) AS now', [tenantId]);
  return row?.now ?? new Date();
}
