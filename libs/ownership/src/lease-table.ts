import type { DataSource } from 'typeorm';
import type { Fence } from './fence.js';

/** Tables the primitive needs, created by a migration of the schema that uses it. */
export function leaseTablesSql(partitions: number): string {
  return `
    CREATE TABLE partition_lease (
      partition integer PRIMARY KEY, owner text, epoch bigint NOT NULL DEFAULT 0,
      expires_at timestamptz NOT NULL DEFAULT '-infinity'
    ) WITH (fillfactor = 50);
    INSERT INTO partition_lease (partition) SELECT generate_series(0, ${partitions - 1});
    CREATE TABLE lease_member (owner text PRIMARY KEY, expires_at timestamptz NOT NULL) WITH (fillfactor = 50);`;
}

const BEAT_SQL = `INSERT INTO lease_member (owner, expires_at) VALUES ($1, clock_timestamp() + $2 * interval '1 ms')
  ON CONFLICT (owner) DO UPDATE SET expires_at = excluded.expires_at`;

const MEMBERS_SQL = 'SELECT count(*)::int AS members FROM lease_member WHERE expires_at > clock_timestamp()';

const LEAVE_SQL = 'DELETE FROM lease_member WHERE owner = $1';

const RENEW_SQL = `UPDATE partition_lease SET expires_at = clock_timestamp() + $2 * interval '1 ms'
  WHERE owner = $1 AND (partition, epoch) IN (SELECT * FROM unnest($3::int[], $4::bigint[])) RETURNING partition`;

// $5: a process that comes back under its own name takes its partitions back at once, with a new epoch. Only in its
// first step: one that was paused and replaced under its name meanwhile must not take them from its successor.
// An array, because the planner may run a subquery of IN more than once and so take more than asked for.
const ACQUIRE_SQL = `UPDATE partition_lease
  SET owner = $1, epoch = epoch + 1, expires_at = clock_timestamp() + $2 * interval '1 ms'
  WHERE partition = ANY(ARRAY(
    SELECT partition FROM partition_lease
    WHERE partition <> ALL($4::int[]) AND (expires_at < clock_timestamp() OR ($5 AND owner = $1))
    ORDER BY (owner = $1) DESC NULLS LAST, random() LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING partition, epoch::int AS epoch`;

const RELEASE_SQL = `UPDATE partition_lease SET owner = NULL, expires_at = '-infinity'
  WHERE partition = $1 AND owner = $2 AND epoch = $3`;

/** Reads and writes the tables of owners and partitions. Every statement goes by the database's clock. */
export class LeaseTable {
  constructor(
    private readonly dataSource: DataSource,
    private readonly owner: string,
    private readonly leaseMs: number,
  ) {}

  /** Says that this process lives and wants a share. */
  async beat(): Promise<void> {
    await this.dataSource.query(BEAT_SQL, [this.owner, this.leaseMs]);
  }

  /** Counts the processes that want a share. */
  async members(): Promise<number> {
    const [row] = await this.dataSource.query<[{ members: number }]>(MEMBERS_SQL);
    return row.members;
  }

  /** Says that this process wants no share any more. */
  async leave(): Promise<void> {
    await this.dataSource.query(LEAVE_SQL, [this.owner]);
  }

  /** Makes the leases last longer; returns the partitions of those that are still this process's. */
  async renew(leases: Fence[]): Promise<Set<number>> {
    const partitions = leases.map(({ partition }) => partition);
    const epochs = leases.map(({ epoch }) => epoch);
    const rows = await this.update(RENEW_SQL, [this.owner, this.leaseMs, partitions, epochs]);
    return new Set(rows.map(({ partition }) => partition));
  }

  /** Takes up to `count` partitions without an owner; in the first step of a process also those of its name. */
  async acquire(count: number, except: number[], isFirstStep: boolean): Promise<Fence[]> {
    return this.update(ACQUIRE_SQL, [this.owner, this.leaseMs, count, except, isFirstStep]);
  }

  /** Takes the owner from a partition, unless another process owns it by now. */
  async release({ partition, epoch }: Fence): Promise<void> {
    await this.dataSource.query(RELEASE_SQL, [partition, this.owner, epoch]);
  }

  private async update(sql: string, parameters: unknown[]): Promise<Fence[]> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [rows] = await this.dataSource.query<[Fence[], number]>(sql, parameters);
    return rows;
  }
}
