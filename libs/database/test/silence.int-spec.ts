import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestDatabase } from '@svc/test-servers';
import { DataSource } from 'typeorm';
import { isDatabaseAway, schemaDataSource } from '../src/index.js';
import { createTestDatabase } from './test-database.js';

/** The silence lasts half a minute. */
const WAIT_MS = 120_000;

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'shop', migrations: [] });
  const options = schemaDataSource({ url: database.url, schema: 'shop', entities: [], poolSize: 2 });
  dataSource = await new DataSource(options).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

test(
  'a database that has fallen silent is away, and its dead connection is handed to nobody',
  async () => {
    const [{ pid }] = await dataSource.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
    process.kill(pid, 'SIGSTOP');
    const error: unknown = await dataSource.query('SELECT 1').catch((thrown: unknown) => thrown);
    expect(isDatabaseAway(error)).toBe(true);
    expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    process.kill(pid, 'SIGCONT');
  },
  WAIT_MS,
);
