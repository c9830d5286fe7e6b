import type { DeletedTenantRows } from '@svc/contracts';
import type { DataSource } from 'typeorm';

/** Few enough rows that nobody waits for their locks. */
const BATCH = 1_000;
/** Longest that one request works before it answers how far it has come. */
const TURN_MS = 2_000;

/** The rows of a table that go with their tenant. */
export interface TenantRows {
  table: string;
  /** Condition of the rows; `$1` is the tenant, `$2` an array of its sessions. */
  where: string;
}

/** Condition of rows that name their tenant. */
export const OF_TENANT = 'tenant_id = $1::uuid';
/** Condition of rows that name a session and no tenant. */
export const OF_SESSIONS = 'session_id = ANY($2::uuid[])';
/** The rows of a tenant in an outbox of events. */
export const OUTBOX_ROWS: TenantRows = {
  table: 'event_outbox',
  where: `envelope ->> 'tenantId' = ($1::uuid)::text`,
};

/**
 * Deletes the rows of a tenant, table by table in the order of the list and a batch at a time, for a few seconds. Asked again it goes on
 * where it was.
 * @param on connection whose schema has the tables; their counts are under its name.
 */
export async function deleteTenantRows(
  on: DataSource,
  schema: string,
  tables: readonly TenantRows[],
  parameters: [tenantId: string, sessionIds: string[]],
): Promise<DeletedTenantRows> {
  const end = performance.now() + TURN_MS;
  const deleted: Record<string, number> = {};
  for (const { table, where } of tables) {
    for (let count = BATCH; count === BATCH;) {
      if (performance.now() > end) return { deleted, done: false };
      count = await deleteBatch(on, table, where, parameters);
      if (count > 0) deleted[`${schema}.${table}`] = (deleted[`${schema}.${table}`] ?? 0) + count;
    }
  }
  return { deleted, done: true };
}

async function deleteBatch(
  on: DataSource,
  table: string,
  where: string,
  parameters: [string, string[]],
): Promise<number> {
  // Both parameters have a type, whether the condition asks for them or not.
  const sql = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table}
    WHERE (${where}) AND $1::uuid IS NOT NULL AND $2::uuid[] IS NOT NULL LIMIT ${BATCH}))`;
  const [, count] = await on.query<[unknown[], number]>(sql, parameters);
  return count;
}
