import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startPostgres } from '@svc/local-servers';
import { type TestDatabase, waitFor } from '@svc/test-servers';
import { DataSource } from 'typeorm';
import { isDatabaseAway, schemaDataSource } from '../src/index.js';
import { createTestDatabase } from './test-database.js';

let database: TestDatabase;
const sources: DataSource[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'shop', migrations: [] });
});
afterAll(async () => {
  await Promise.all(sources.map((source) => source.destroy()));
  await database.drop();
});

async function connect(extra: object = {}, url = database.url): Promise<DataSource> {
  const options = schemaDataSource({ url, schema: 'shop', entities: [], poolSize: 1 });
  const source = new DataSource({ ...options, extra: { ...options.extra, ...extra } } as typeof options);
  sources.push(await source.initialize());
  return source;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect('a success').toBe('a failure'),
    (error: unknown) => error,
  );

describe('the database is away for a service', () => {
  test('whose connection an administrator ends in the middle of a statement', async () => {
    const source = await connect();
    const failed = failureOf(source.query('SELECT pg_sleep(60)'));
    await waitFor('the end', async () => {
      const ended = await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'`,
      );
      return ended.length > 0;
    });
    expect(isDatabaseAway(await failed)).toBe(true);
    await waitFor('a new connection', () => source.query('SELECT 1'));
  });

  test('that finds all connections of its pool in use', async () => {
    const source = await connect({ connectionTimeoutMillis: 100 });
    const greedy = source.createQueryRunner();
    await greedy.connect();
    expect(isDatabaseAway(await failureOf(source.query('SELECT 1')))).toBe(true);
    await greedy.release();
  });

  test('that the server has no connection left for', async () => {
    await database.query(`CREATE ROLE crowd LOGIN CONNECTION LIMIT 0 PASSWORD 'crowd' IN ROLE svc_shop`);
    const url = new URL(database.url);
    Object.assign(url, { username: 'crowd', password: 'crowd' });
    expect(isDatabaseAway(await failureOf(connect({}, url.href)))).toBe(true);
  });

  test('whose server stops, and is away from then on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-away-'));
    const server = await startPostgres({ dataDir, settings: { fsync: 'off' } });
    const source = await connect({ options: '' }, server.url);
    const cut = failureOf(source.query('SELECT pg_sleep(60)'));
    await server.stop();
    expect(isDatabaseAway(await cut)).toBe(true);
    const refused = await failureOf(source.query('SELECT 1'));
    expect(isDatabaseAway(refused)).toBe(true);
    await rm(dataDir, { recursive: true, force: true });
  });
});

describe('the database is not away', () => {
  test.each([
    ['a statement is wrong', 'SELEC 1'],
    ['a table is missing', 'SELECT * FROM connection_timeout'],
    ['a value breaks a rule', `SELECT 'connection'::int`],
    ['a statement takes too long', `SET statement_timeout = 10; SELECT pg_sleep(1)`],
  ])('when %s', async (_, sql) => {
    const source = await connect();
    const error = await failureOf(source.query(sql));
    expect(isDatabaseAway(error)).toBe(false);
  });
});
