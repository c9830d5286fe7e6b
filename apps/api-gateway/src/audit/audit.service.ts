import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type {
  AuditEntry,
  Envelope,
  Page,
  PageQuery,
  SessionTierChangedV1,
  SubscriptionChangedV1,
  WebhookChangedV1,
} from '@svc/contracts';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { AuditHead, AuditRecord } from './audit-record.entity.js';
import { factOf, hashOf, NO_HASH } from './chain.js';

/** Something worth a line in a tenant's audit log. Never a secret. */
export interface AuditFact {
  /** Of what is told more than once, so that it is written once; a new one by default. */
  id?: string;
  tenantId: string;
  /** Now by default. */
  at?: Date;
  actor: string;
  action: string;
  target: string;
  reason?: string;
  details?: Record<string, unknown>;
}

const MOST = 1_000;

const MAKE_HEAD_SQL = `INSERT INTO audit_head (tenant_id, place, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`;
/** Waits for whoever writes the entry before, until its transaction ends. */
const LOCK_HEAD_SQL = `SELECT place, hash, date_trunc('milliseconds', clock_timestamp()) AS now
  FROM audit_head WHERE tenant_id = $1 FOR UPDATE`;

interface HeadRow {
  place: number;
  hash: Buffer;
  now: Date;
}

/** The audit log: written in the transaction of the change where the gateway owns it, each entry chained to the one before. */
@Injectable()
export class AuditService {
  constructor(
    @InjectRepository(AuditRecord) private readonly records: Repository<AuditRecord>,
    private readonly cursors: Cursors,
  ) {}

  async write(fact: AuditFact, tx?: EntityManager): Promise<void> {
    if (tx) await append(tx, fact);
    else await this.records.manager.transaction((own) => append(own, fact));
  }

  /** A tier changed in `limits`; the event's id makes a repeat harmless. */
  tierChanged({ id, tenantId, data }: Envelope<SessionTierChangedV1>): Promise<void> {
    const { actor, reason, sessionId: target, previousTier, tier, timestamp } = data;
    const at = new Date(timestamp);
    const action = 'warmup_tier.promoted';
    return this.write({ id, tenantId, at, actor, action, target, reason, details: { previousTier, tier } });
  }

  /** Plan, state or an entitlement changed in `billing`; the event's id makes a repeat harmless. */
  subscriptionChanged({ id, tenantId, data }: Envelope<SubscriptionChangedV1>): Promise<void> {
    const { actor, reason, timestamp, ...details } = data;
    const fact = { id, tenantId, at: new Date(timestamp), actor, action: 'subscription.changed' };
    return this.write({ ...fact, target: tenantId, ...(reason !== undefined && { reason }), details });
  }

  /** An endpoint was made, changed or deleted in `webhook-dispatcher`. */
  webhookChanged({ id, tenantId, data }: Envelope<WebhookChangedV1>): Promise<void> {
    const { actor, endpointId: target, change, name, origin, sessionId, fields, timestamp } = data;
    const details = {
      name,
      origin,
      ...(sessionId && { sessionId }),
      ...(change === 'updated' && { fields }),
    };
    return this.write({
      ...{ id, tenantId, at: new Date(timestamp), actor, action: `webhook.${change}`, target, details },
    });
  }

  /** Newest first, for the operator. */
  async list(tenantId: string): Promise<AuditEntry[]> {
    const records = await this.records.find({ where: { tenantId }, order: { seq: 'DESC' }, take: MOST });
    return records.map(toEntry);
  }

  /** A page of it, newest first. */
  async page(tenantId: string, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<AuditEntry>> {
    const list = `audit-log:${tenantId}`;
    const last = this.cursors.decode(list, before);
    const where = { tenantId, ...(last ? { seq: LessThan(last) } : {}) };
    const records = await this.records.find({ where, order: { seq: 'DESC' }, take: limit + 1 });
    const page = this.cursors.page(list, records, limit, ({ seq }) => seq);
    return { ...page, items: page.items.map(toEntry) };
  }
}

async function append(tx: EntityManager, fact: AuditFact): Promise<void> {
  const { tenantId } = fact;
  await tx.query(MAKE_HEAD_SQL, [tenantId, NO_HASH]);
  const [head] = await tx.query<[HeadRow]>(LOCK_HEAD_SQL, [tenantId]);
  const id = (fact.id ?? uuidv7()).toLowerCase();
  // Looked for under the lock: of what is told more than once, one is written.
  if (fact.id !== undefined && (await tx.existsBy(AuditRecord, { id }))) return;
  const { actor, action, target, reason = null, at = head.now } = fact;
  const details = JSON.parse(JSON.stringify(fact.details ?? {})) as Record<string, unknown>;
  const record = { id, tenantId, place: head.place + 1, at, actor, action, target, reason, details };
  const hash = hashOf(head.hash, factOf(record));
  await tx.insert(AuditRecord, { ...record, prevHash: head.hash, hash } as object);
  await tx.update(AuditHead, { tenantId }, { place: record.place, hash });
}

function toEntry(record: AuditRecord): AuditEntry {
  const { prevHash, hash } = record;
  return {
    ...factOf(record),
    prevHash: prevHash?.toString('hex') ?? null,
    hash: hash?.toString('hex') ?? null,
  };
}
