import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { AuditEntry, AuditFact, Page, PageQuery } from '@svc/contracts';
import { isPassing } from '@svc/database';
import { log } from '@svc/service';
import { type EntityManager, LessThan, Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { Cursors, DEFAULT_LIMIT } from '../paging/cursor.js';
import { AuditHead, AuditRecord } from './audit-record.entity.js';
import { factOf, hashOf, NO_HASH } from './chain.js';

/** A fact that becomes an entry. The gateway leaves out id and time of what it changes itself: they are those of the entry. */
export type NewEntry = Omit<AuditFact, 'id' | 'at' | 'details'> &
  Partial<Pick<AuditFact, 'id' | 'at' | 'details'>>;

const MOST = 1_000;

const MAKE_HEAD_SQL = `INSERT INTO audit_head (tenant_id, place, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`;
/** Statement that waits for the writer of the entry before, until its transaction ends. */
const LOCK_HEAD_SQL = `SELECT place, hash, date_trunc('milliseconds', clock_timestamp()) AS now
  FROM audit_head WHERE tenant_id = $1 FOR UPDATE`;

const DELETED_SQL =
  'SELECT FROM tenant_deletion WHERE tenant_ids @> ARRAY[$1::uuid] AND finished_at IS NOT NULL';

interface HeadRow {
  place: number;
  hash: Buffer;
  now: Date;
}

/**
 * This service appends entries to the audit logs, each chained to the one before, and reads them. What the gateway changes itself it
 * appends in the transaction of the change; what others change they deliver until it is in the chain.
 */
@Injectable()
export class AuditService {
  constructor(
    @InjectRepository(AuditRecord) private readonly records: Repository<AuditRecord>,
    private readonly cursors: Cursors,
  ) {}

  async write(entry: NewEntry, tx?: EntityManager): Promise<void> {
    if (tx) await append(tx, entry);
    else await this.records.manager.transaction((own) => append(own, entry));
  }

  /**
   * Appends facts of other services, in their order.
   * @returns the ids of those that are in the chain; one that the database refuses holds up no other.
   * @throws what says that the database is away.
   */
  async appendAll(facts: AuditFact[]): Promise<string[]> {
    const ids: string[] = [];
    for (const fact of facts) {
      try {
        // Delivered late, it would begin a new log.
        if (!(await this.isDeleted(fact.tenantId))) await this.write(fact);
        ids.push(fact.id);
      } catch (error) {
        if (isPassing(error)) throw error;
        const { id, tenantId, action } = fact;
        log().error({ err: error, fact: id, tenantId, action }, 'a fact does not go into the audit log');
      }
    }
    return ids;
  }

  private async isDeleted(tenantId: string): Promise<boolean> {
    return (await this.records.query<object[]>(DELETED_SQL, [tenantId])).length > 0;
  }

  /** Lists the entries of a tenant newest first, for the operator. */
  async list(tenantId: string): Promise<AuditEntry[]> {
    const records = await this.records.find({ where: { tenantId }, order: { seq: 'DESC' }, take: MOST });
    return records.map(toEntry);
  }

  /** Reads a page of the log, newest first. */
  async page(tenantId: string, { limit = DEFAULT_LIMIT, before }: PageQuery): Promise<Page<AuditEntry>> {
    const list = `audit-log:${tenantId}`;
    const last = this.cursors.decode(list, before);
    const where = { tenantId, ...(last ? { seq: LessThan(last) } : {}) };
    const records = await this.records.find({ where, order: { seq: 'DESC' }, take: limit + 1 });
    const page = this.cursors.page(list, records, limit, ({ seq }) => seq);
    return { ...page, items: page.items.map(toEntry) };
  }
}

/** Appends an entry under the lock of the head. A fact that is delivered again is found there, and is not appended. */
async function append(tx: EntityManager, entry: NewEntry): Promise<void> {
  const { tenantId, actor, action, target, reason = null } = entry;
  await tx.query(MAKE_HEAD_SQL, [tenantId, NO_HASH]);
  const [head] = await tx.query<[HeadRow]>(LOCK_HEAD_SQL, [tenantId]);
  const id = (entry.id ?? uuidv7()).toLowerCase();
  if (entry.id !== undefined && (await tx.existsBy(AuditRecord, { id }))) return;
  const at = entry.at === undefined ? head.now : new Date(entry.at);
  const details = JSON.parse(JSON.stringify(entry.details ?? {})) as Record<string, unknown>;
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
