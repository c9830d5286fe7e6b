import type { DataSource } from 'typeorm';

/** How long leases live and what follows from them. Times in milliseconds. */
export interface LeaseOptions {
  /** Name of this process: unique among those alive, the same after a restart. */
  owner: string;
  /** Number of partitions, 64 in production. */
  partitions: number;
  leaseMs: number;
  renewMs: number;
  /** Without a renewal for this long the process treats its partitions as lost; less than `leaseMs`. */
  selfStopMs: number;
  /** A partition is ours from now on. */
  onAcquired: (partition: number, epoch: number) => Promise<void>;
  /** Finish what runs for this partition; the lease is given back when this returns. */
  onRelease: (partition: number) => Promise<void>;
  /** Somebody else may own it already: stop at once, write nothing. */
  onLost: (partition: number) => void;
  onError: (error: unknown) => void;
}

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

const RENEW_SQL = `UPDATE partition_lease SET expires_at = clock_timestamp() + $2 * interval '1 ms'
  WHERE owner = $1 AND (partition, epoch) IN (SELECT * FROM unnest($3::int[], $4::bigint[])) RETURNING partition`;

const MEMBERS_SQL = 'SELECT count(*)::int AS members FROM lease_member WHERE expires_at > clock_timestamp()';

// $5: a process that comes back under its own name takes its partitions back at once, with a new epoch. Only in its
// first step: one that was paused and replaced under its name meanwhile must not take them from its successor.
const ACQUIRE_SQL = `UPDATE partition_lease
  SET owner = $1, epoch = epoch + 1, expires_at = clock_timestamp() + $2 * interval '1 ms'
  WHERE partition IN (
    SELECT partition FROM partition_lease
    WHERE partition <> ALL($4::int[]) AND (expires_at < clock_timestamp() OR ($5 AND owner = $1))
    ORDER BY (owner = $1) DESC NULLS LAST, random() LIMIT $3 FOR UPDATE SKIP LOCKED)
  RETURNING partition, epoch::int AS epoch`;

const RELEASE_SQL = `UPDATE partition_lease SET owner = NULL, expires_at = '-infinity'
  WHERE partition = $1 AND owner = $2 AND epoch = $3`;

/**
 * Splits partitions among the live processes of an app, each partition with one owner at a time and an epoch that
 * grows with every change of owner. Fenced writes carry `WHERE epoch = mine` (design: operations, "Ownership by lease").
 */
export class PartitionLeases {
  private readonly epochs = new Map<number, number>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private renewedAt = 0;
  private comingBack = true;
  private stopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: LeaseOptions,
  ) {}

  /** Epoch under which this process owns the partition; undefined when it does not. */
  epochOf(partition: number): number | undefined {
    return this.isStale() ? undefined : this.epochs.get(partition);
  }

  /** Partitions owned at this moment. */
  get held(): number[] {
    return this.isStale() ? [] : [...this.epochs.keys()];
  }

  /** Readiness asks. @throws Error when the leases were not renewed in time. */
  assertFresh(): void {
    if (this.isStale()) throw new Error('The leases of this process are not being renewed.');
  }

  /** Takes the first share and keeps renewing. */
  async start(): Promise<void> {
    await this.tick();
    this.timer = setInterval(() => {
      // A query that hangs must not keep a process believing: look at the clock before asking the database again.
      this.dropIfStale();
      void this.tick();
    }, this.options.renewMs);
  }

  /** Renews at once and looks for free partitions: another process announced that it let some go. */
  async tick(): Promise<void> {
    this.running = this.running.then(() => this.step().catch((error: unknown) => this.failed(error)));
    return this.running;
  }

  /** Hands every partition back, one after the other, so that reconnects trickle. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
    for (const partition of this.held) await this.release(partition);
    await this.dataSource
      .query('DELETE FROM lease_member WHERE owner = $1', [this.options.owner])
      .catch((error: unknown) => this.options.onError(error));
  }

  /** A fenced write hit zero rows: the partition belongs to somebody else. */
  lost(partition: number): void {
    if (this.epochs.delete(partition)) this.options.onLost(partition);
  }

  private async step(): Promise<void> {
    if (this.stopping) return;
    const startedAt = performance.now();
    await this.dataSource.query(BEAT_SQL, [this.options.owner, this.options.leaseMs]);
    await this.renew(startedAt);
    const target = await this.target();
    if (this.epochs.size < target) await this.acquire(target - this.epochs.size);
    else if (this.epochs.size > target) await this.release([...this.epochs.keys()].at(-1) as number);
  }

  private async renew(startedAt: number): Promise<void> {
    const partitions = [...this.epochs.keys()];
    const epochs = [...this.epochs.values()];
    const rows = await this.update(RENEW_SQL, [this.options.owner, this.options.leaseMs, partitions, epochs]);
    const kept = new Set(rows.map((row) => row.partition));
    this.renewedAt = startedAt;
    for (const partition of partitions) if (!kept.has(partition)) this.lost(partition);
  }

  private async target(): Promise<number> {
    const [row] = await this.dataSource.query<[{ members: number }]>(MEMBERS_SQL);
    return Math.ceil(this.options.partitions / Math.max(1, row.members));
  }

  private async acquire(count: number): Promise<void> {
    const { owner, leaseMs } = this.options;
    const parameters = [owner, leaseMs, count, [...this.epochs.keys()], this.comingBack];
    const rows = await this.update(ACQUIRE_SQL, parameters);
    this.comingBack = false;
    for (const { partition, epoch } of rows) {
      this.epochs.set(partition, epoch as number);
      await this.options
        .onAcquired(partition, epoch as number)
        .catch((error: unknown) => this.options.onError(error));
    }
  }

  private async release(partition: number): Promise<void> {
    const epoch = this.epochs.get(partition);
    await this.options.onRelease(partition).catch((error: unknown) => this.options.onError(error));
    this.epochs.delete(partition);
    await this.dataSource
      .query(RELEASE_SQL, [partition, this.options.owner, epoch])
      .catch((error: unknown) => this.options.onError(error));
  }

  private async update(sql: string, parameters: unknown[]): Promise<{ partition: number; epoch?: number }[]> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [rows] = await this.dataSource.query<[{ partition: number; epoch?: number }[], number]>(
      sql,
      parameters,
    );
    return rows;
  }

  private isStale(): boolean {
    return performance.now() - this.renewedAt > this.options.selfStopMs;
  }

  private failed(error: unknown): void {
    this.options.onError(error);
    this.dropIfStale();
  }

  private dropIfStale(): void {
    if (!this.isStale()) return;
    for (const partition of [...this.epochs.keys()]) this.lost(partition);
  }
}
