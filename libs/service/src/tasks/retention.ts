import type { DataSource, EntityManager } from 'typeorm';
import { log } from '../logging/logger.js';
import type { PeriodicTasks } from './periodic-tasks.js';

const HOUR_MS = 60 * 60 * 1000;
/** Most rows of one deletion: few enough that nobody waits for their locks. */
const BATCH = 1_000;
/** Most rows of one deletion with something outside the database, which goes one by one. */
const BATCH_OUTSIDE = 100;

// The lock lets one process of a schema delete at a time: the others would only wait for its rows.
const LOCK_SQL = `SELECT pg_try_advisory_xact_lock(${0x5c_77}, hashtext(current_schema())) AS mine`;

/** Retention rule: the rows of a table that are old. */
export interface RetentionRule {
  table: string;
  /** Condition of its old rows; `now` and `today` in it are domain time and its day in UTC. */
  where: string;
  /** Column in whose order rows are found: for an index that the condition alone would not choose. */
  order?: string;
  /** Column with the ids that `before` and `remove` are given, `id` by default. */
  key?: string;
  /** Removes what belongs to rows outside the database. They go after it, so that what a crash leaves is found again. */
  before?: (ids: string[]) => Promise<void>;
  /** Statement that deletes rows whose ids are `$1`, with what belongs to them, in the transaction that has found and locked them. */
  remove?: string;
}

/**
 * Makes the rule beside the one that goes by the common clock: rows of tenants that have moved their own, as sandboxes do, are old by that. Else
 * they would be kept for as much longer.
 */
export function ruleOfMovedClocks(table: string, column: string, days: number): RetentionRule {
  return {
    table,
    where: `${table}.tenant_id IN (SELECT public.svc_moved_tenants())
      AND ${column} < svc_now(${table}.tenant_id) - interval '${days} days'`,
  };
}

/** Options of the search for old rows. */
export interface RetentionOptions {
  /** An hour by default. */
  everyMs?: number;
}

/** Deletes the old rows of a service, table by table in the order of the rules, and a batch at a time. */
export class Retention {
  constructor(
    private readonly dataSource: DataSource,
    tasks: PeriodicTasks,
    private readonly rules: RetentionRule[],
    { everyMs = HOUR_MS }: RetentionOptions = {},
  ) {
    tasks.add('retention', everyMs, (stopping) => this.deleteOld(stopping));
  }

  /** Deletes what is old now. A table that cannot be cleaned leaves the others alone. */
  async deleteOld(stopping?: AbortSignal): Promise<void> {
    for (const rule of this.rules) {
      const { table } = rule;
      try {
        const rows = await this.deleteAll(rule, stopping);
        if (rows > 0) log().info({ table, rows }, 'old rows deleted');
      } catch (error) {
        log().warn({ table, err: error }, 'old rows stay for now');
      }
    }
  }

  private async deleteAll(rule: RetentionRule, stopping?: AbortSignal): Promise<number> {
    const most = rule.before ? BATCH_OUTSIDE : BATCH;
    let rows = 0;
    for (let found = most; found === most && !stopping?.aborted; rows += found)
      found = await this.deleteBatch(rule);
    return rows;
  }

  private deleteBatch(rule: RetentionRule): Promise<number> {
    const { before } = rule;
    if (before) return this.deleteAfter(rule, before);
    return this.dataSource.transaction(async (tx) => {
      const [lock] = await tx.query<[{ mine: boolean }]>(LOCK_SQL);
      return lock.mine ? deleteRows(tx, rule) : 0;
    });
  }

  /** Deletes without a transaction, which would last as long as what comes before; two processes may do so at the same time. */
  private async deleteAfter(rule: RetentionRule, before: (ids: string[]) => Promise<void>): Promise<number> {
    const { table, key = 'id' } = rule;
    const ids = await idsOf(this.dataSource, `${oldRows(rule, key)} LIMIT ${BATCH_OUTSIDE}`);
    if (ids.length === 0) return 0;
    await before(ids);
    await this.dataSource.query(`DELETE FROM ${table} WHERE ${key} = ANY ($1)`, [ids]);
    return ids.length;
  }
}

/** @returns how many were found; one that `remove` leaves alone is among them. */
async function deleteRows(tx: EntityManager, rule: RetentionRule): Promise<number> {
  const { table, key = 'id', remove } = rule;
  const lockedRows = (column: string): string =>
    `${oldRows(rule, column)} LIMIT ${BATCH} FOR UPDATE OF ${table} SKIP LOCKED`;
  if (remove) {
    const ids = await idsOf(tx, lockedRows(key));
    if (ids.length > 0) await tx.query(remove, [ids]);
    return ids.length;
  }
  const sql = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${lockedRows('ctid')}))`;
  const [, rows] = await tx.query<[unknown[], number]>(sql);
  return rows;
}

async function idsOf(on: Pick<EntityManager, 'query'>, sql: string): Promise<string[]> {
  const rows = await on.query<{ id: string }[]>(sql);
  return rows.map(({ id }) => id);
}

function oldRows({ table, where, order }: RetentionRule, key: string): string {
  return `SELECT ${table}.${key} AS id FROM ${table}
    CROSS JOIN (SELECT now, (now AT TIME ZONE 'UTC')::date AS today FROM svc_now() AS now) clock
    WHERE ${where}${order ? ` ORDER BY ${table}.${order}` : ''}`;
}
