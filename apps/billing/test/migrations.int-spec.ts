import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate, schemaDataSource } from '@svc/database';
import { createTestDatabase, schemaColumns, type TestDatabase } from '@svc/testing';
import { DataSource } from 'typeorm';
import { schema } from '../src/migrations/schema.js';
import { Subscription } from '../src/subscriptions/subscription.entity.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase(schema);
  const options = schemaDataSource({ url: database.url, schema: 'billing', entities: [Subscription] });
  dataSource = await new DataSource(options).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('the schema after its migrations', () => {
  test('has the columns of the entity, and no others in its table', async () => {
    const { inDatabase, declared } = await schemaColumns(database, dataSource, 'billing');
    expect(inDatabase).toEqual(declared);
  });

  test('is left as it is by a second run', async () => {
    expect(await migrate({ ...schema, url: database.url })).toEqual([]);
  });
});
