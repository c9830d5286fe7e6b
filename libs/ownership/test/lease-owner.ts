import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import { type TestDatabase, waitFor } from '@svc/test-servers';
import { DataSource } from 'typeorm';
import { type LeaseOptions, PartitionLeases } from '../src/partition-leases.js';
import { createLeaseDatabase, freePartitions, PARTITIONS } from './lease-database.js';

export const ALL = Array.from({ length: PARTITIONS }, (_, i) => i);

/** Database of this file; every partition has no owner when a test begins. */
export let database: TestDatabase;
/** Owners of this test. */
export let owners: Owners;

/** Makes a database for the file and owners for each test, which fails when these broke a rule. */
export function withOwners(): void {
  beforeAll(async () => {
    database = await createLeaseDatabase();
  });
  beforeEach(async () => {
    await freePartitions(database);
    owners = new Owners(database);
  });
  afterEach(async () => {
    await owners.close();
    expect(owners.violations).toEqual([]);
  });
  afterAll(() => database.drop());
}

/** Row of a partition in the table of leases. */
export interface Row {
  owner: string | null;
  epoch: number;
  /** Time for which the lease still lasts; far below zero for a partition without an owner. */
  leftMs: number;
}

/** Reads the row of a partition. */
export async function rowOf(partition: number): Promise<Row> {
  const [row] = await database.query<{ owner: string | null; epoch: number; left_ms: number }>(
    `SELECT owner, epoch::int, CASE WHEN expires_at = '-infinity' THEN -1e9
       ELSE extract(epoch FROM expires_at - clock_timestamp()) * 1000 END::float AS left_ms
     FROM rooms.partition_lease WHERE partition = $1`,
    [partition],
  );
  return { owner: row!.owner, epoch: row!.epoch, leftMs: row!.left_ms };
}

/** Waits until each of these leases was renewed twice: whatever the owner finds out by renewing, it knows by then. */
export async function twoRenewals(...partitions: number[]): Promise<void> {
  const seen = new Set<string>();
  await waitFor('two renewals', async () => {
    const [row] = await database.query<{ oldest: string }>(
      'SELECT min(expires_at)::text AS oldest FROM rooms.partition_lease WHERE partition = ANY($1)',
      [partitions],
    );
    return seen.add(row!.oldest).size > 2;
  });
}

/** A door that work waits at until it is opened. */
export interface Gate {
  passed: Promise<void>;
  open: () => void;
}

export function aGate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

/** Process that shares partitions with others, and all its callbacks. */
export interface Owner {
  name: string;
  leases: PartitionLeases;
  dataSource: DataSource;
  calls: { what: 'acquired' | 'released' | 'free' | 'lost'; partition: number; epoch?: number }[];
  errors: unknown[];
}

/** Times of a test: an owner is stale after 0.6 s and its leases are free after 1 s. */
export const FAST = { leaseMs: 1_000, renewMs: 40, selfStopMs: 600 };
/** Lease times under which nothing expires within the test. */
export const PATIENT = { leaseMs: 120_000, renewMs: 40, selfStopMs: 60_000 };

/** Owners of a test. It fails the test as soon as two of them own a partition at one time, or an epoch does not grow. */
export class Owners {
  readonly violations: string[] = [];
  private readonly all: Owner[] = [];
  private readonly epochs = new Map<number, number>();

  constructor(private readonly database: TestDatabase) {}

  /** Connects and takes a first share. */
  async start(name: string, options: Partial<LeaseOptions> = {}): Promise<Owner> {
    const owner = await this.make(name, options);
    await owner.leases.start();
    return owner;
  }

  /** Connects only. */
  async make(name: string, options: Partial<LeaseOptions> = {}): Promise<Owner> {
    const { url } = this.database;
    const dataSource = await new DataSource(
      schemaDataSource({ url, schema: 'rooms', entities: [] }),
    ).initialize();
    const owner = { name, dataSource, calls: [], errors: [] } as unknown as Owner;
    owner.leases = new PartitionLeases(dataSource, {
      owner: name,
      ...FAST,
      onAcquired: async (partition, epoch) => {
        owner.calls.push({ what: 'acquired', partition, epoch });
        this.check(owner, partition, epoch);
      },
      onRelease: async (partition) => void owner.calls.push({ what: 'released', partition }),
      onReleased: (partition) => void owner.calls.push({ what: 'free', partition }),
      onLost: (partition) => void owner.calls.push({ what: 'lost', partition }),
      onError: (error) => void owner.errors.push(error),
      ...options,
    });
    this.all.push(owner);
    return owner;
  }

  /** Begins a transaction that no owner takes part in, with one statement; returns what ends it. */
  async block(sql: string, parameters: unknown[] = []): Promise<() => Promise<void>> {
    const blocker = (await this.make('blocker')).dataSource.createQueryRunner();
    await blocker.startTransaction();
    await blocker.query(sql, parameters);
    return async () => {
      await blocker.rollbackTransaction();
      await blocker.release();
    };
  }

  /** Lists the partitions that have an owner at this moment. */
  get held(): number[] {
    return this.all.flatMap(({ leases }) => leases.held);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ leases }) => leases.stop()));
    for (const { dataSource } of this.all) if (dataSource.isInitialized) await dataSource.destroy();
  }

  private check(owner: Owner, partition: number, epoch: number): void {
    const other = this.all.find((one) => one !== owner && one.leases.epochOf(partition) !== undefined);
    if (other) this.violations.push(`${partition} belongs to ${other.name} and to ${owner.name}`);
    const before = this.epochs.get(partition) ?? 0;
    if (epoch <= before) this.violations.push(`epoch of ${partition} went from ${before} to ${epoch}`);
    this.epochs.set(partition, epoch);
  }
}
