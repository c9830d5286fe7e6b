import { migrate, type MigrateOptions } from '@svc/database';
import { type TestDatabase, testDatabases } from '@svc/test-servers';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { leaseTablesSql } from '../src/lease-table.js';

export const PARTITIONS = 64;

class LeaseTables1700000000000 implements MigrationInterface {
  name = 'LeaseTables1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(leaseTablesSql(PARTITIONS));
    await runner.query('CREATE TABLE note (partition integer, text text)');
  }
  async down(): Promise<void> {}
}

const create = testDatabases<Omit<MigrateOptions, 'url'>>((url, schema) => migrate({ ...schema, url }));

/** Makes a database with the schema `rooms`: the tables of leases, and one for what owners write. */
export function createLeaseDatabase(): Promise<TestDatabase> {
  return create({ schema: 'rooms', migrations: [LeaseTables1700000000000] });
}

/** Takes the owner from every partition. */
export async function freePartitions(database: TestDatabase): Promise<void> {
  await database.query(`UPDATE rooms.partition_lease SET owner = NULL, epoch = 0, expires_at = '-infinity'`);
  await database.query('DELETE FROM rooms.lease_member');
}
