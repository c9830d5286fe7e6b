import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import { type TestDatabase, waitFor } from '@svc/test-servers';
import { DataSource } from 'typeorm';
import { FENCE_SQL, type Fence, fenceParameters } from '../src/fence.js';
import { LeaseTable } from '../src/lease-table.js';
import { createLeaseDatabase, freePartitions, PARTITIONS } from './lease-database.js';

const WRITE_SQL = `WITH ${FENCE_SQL} INSERT INTO note (partition) SELECT partition FROM fence RETURNING partition`;
let database: TestDatabase;
let dataSource: DataSource;
beforeAll(async () => {
  database = await createLeaseDatabase();
  dataSource = await new DataSource(
    schemaDataSource({ url: database.url, schema: 'rooms', entities: [] }),
  ).initialize();
});
beforeEach(async () => {
  await freePartitions(database);
  await database.query(
    `UPDATE rooms.partition_lease SET owner = 'me', epoch = 7, expires_at = 'infinity' WHERE partition IN (5, 6)`,
  );
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const write = async (...fences: Fence[]): Promise<number[]> => {
  const rows = await dataSource.query<{ partition: number }[]>(WRITE_SQL, fenceParameters(fences));
  return rows.map(({ partition }) => partition).toSorted((one, other) => one - other);
};

test.each([
  ['an earlier epoch', { partition: 5, epoch: 6 }],
  ['an epoch that is not there yet', { partition: 5, epoch: 8 }],
  ['another partition', { partition: 4, epoch: 7 }],
])('a fence of %s refuses the write', async (_, fence) => {
  expect(await write(fence)).toEqual([]);
});

test('of a group those are written whose fences stand, each once', async () => {
  const [five, six] = [5, 6].map((partition) => ({ partition, epoch: 7 })) as [Fence, Fence];
  expect(await write(five, { ...five, epoch: 6 }, six, five, { partition: 7, epoch: 7 })).toEqual([5, 6]);
});

test('a take-over passes a partition by while a write is under way; a renewal does not wait for it', async () => {
  const slow = dataSource.createQueryRunner();
  await slow.startTransaction();
  await slow.query(WRITE_SQL, fenceParameters([{ partition: 5, epoch: 7 }]));
  const mine = new LeaseTable(dataSource, 'me', 60_000);
  expect([...(await mine.renew([{ partition: 5, epoch: 7 }]))]).toEqual([5]);
  await database.query(`UPDATE rooms.partition_lease SET expires_at = '-infinity' WHERE partition = 5`);
  const others = Array.from({ length: PARTITIONS }, (_, partition) => partition).filter((one) => one !== 5);
  const next = new LeaseTable(dataSource, 'next', 60_000);
  expect(await next.acquire(1, others, false)).toEqual([]);
  await slow.commitTransaction();
  await slow.release();
  expect(await next.acquire(1, others, false)).toEqual([{ partition: 5, epoch: 8 }]);
  expect(await write({ partition: 5, epoch: 7 })).toEqual([]);
});

test('a write that meets a take-over under way waits for it, and is refused', async () => {
  const taking = dataSource.createQueryRunner();
  await taking.startTransaction();
  await database.query(`UPDATE rooms.partition_lease SET expires_at = '-infinity' WHERE partition = 5`);
  const others = Array.from({ length: PARTITIONS }, (_, partition) => partition).filter((one) => one !== 5);
  const next = new LeaseTable(taking as unknown as DataSource, 'next', 60_000);
  expect(await next.acquire(1, others, false)).toEqual([{ partition: 5, epoch: 8 }]);
  const writing = write({ partition: 5, epoch: 7 });
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await waitFor('the write to wait', async () => (await database.query(waiting)).length === 1);
  await taking.commitTransaction();
  await taking.release();
  expect(await writing).toEqual([]);
});
