import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, schemaDataSource } from '@svc/database';
import { createTestDatabase, functionsWithoutFile, schemaColumns, type TestDatabase } from '@svc/testing';
import { DataSource } from 'typeorm';
import { schema } from '../src/migrations/schema.js';
import { TierPromotionRow } from '../src/tiers/tier-promotion.entity.js';
import { Warmup } from '../src/tiers/warmup.entity.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  const entities = [TierPromotionRow, Warmup];
  dataSource = new DataSource(schemaDataSource({ url: database.url, schema: 'limits', entities }));
  await dataSource.initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('the schema after its migrations', () => {
  test('has the columns of the entities, and no others in their tables', async () => {
    const { inDatabase, declared } = await schemaColumns(database, dataSource, 'limits');
    expect(inDatabase).toEqual(declared);
  });

  test('has the functions of the SQL files, and no others', async () => {
    expect(await functionsWithoutFile(database, schema)).toEqual([]);
  });

  test('is left as it is by a second run', async () => {
    expect(await migrate({ ...schema, url: database.url })).toEqual([]);
  });

  test('lets no counter fall below zero and no promotion lower a tier', async () => {
    const id = `'0198c0de-0000-7000-8000-0000000000a1'`;
    const counter = `INSERT INTO quota (scope, id, day, used) VALUES ('tenant', ${id}, '2026-01-31', -1)`;
    await expect(dataSource.query(counter)).rejects.toThrow('quota_used_check');
    const lower = `INSERT INTO tier_promotion VALUES (${id}, ${id}, ${id}, 2, 1, 'r', 'a', now())`;
    await expect(dataSource.query(lower)).rejects.toThrow('tier_promotion_check');
  });
});
