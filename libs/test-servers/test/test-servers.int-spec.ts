import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestNats, temporaryDirectory, testDatabases } from '../src/index.js';
import { testRun } from '../src/config.js';

test('gives each caller a migrated database of its own, and migrates once', async () => {
  let migrated = 0;
  const createTestDatabase = testDatabases(async (url, { schema }) => {
    migrated += 1;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.book (id int PRIMARY KEY)`);
    await client.end();
  });
  const shelf = { schema: 'shelf' };
  const [one, two] = await Promise.all([createTestDatabase(shelf), createTestDatabase(shelf)]);
  await one.query('INSERT INTO shelf.book VALUES (1)');
  expect(await two.query('SELECT * FROM shelf.book')).toEqual([]);
  expect(migrated).toBe(1);
  await Promise.all([one.drop(), two.drop()]);
});

test('two test files may have schemas of one name and different migrations', async () => {
  const migrated: string[] = [];
  class First {}
  class Second {}
  const createTestDatabase = testDatabases(
    async (_, { migrations }: { schema: string; migrations: (new () => object)[] }) => {
      migrated.push(migrations.map(({ name }) => name).join());
    },
  );
  const databases = [
    await createTestDatabase({ schema: 'shop', migrations: [First] }),
    await createTestDatabase({ schema: 'shop', migrations: [First, Second] }),
    await createTestDatabase({ schema: 'shop', migrations: [First] }),
  ];
  expect(migrated).toEqual(['First', 'First,Second']);
  await Promise.all(databases.map((database) => database.drop()));
});

test('a nats-server of the file survives a kill with its port', async () => {
  const nats = await startTestNats();
  const before = nats.url;
  await nats.restart();
  expect(nats.url).toBe(before);
  await nats.stop();
});

test('directories of tests are new, and lie below the one that the teardown removes', () => {
  const paths = [temporaryDirectory('files'), temporaryDirectory('files')];
  expect(new Set(paths).size).toBe(2);
  for (const path of paths) expect([existsSync(path), dirname(path)]).toEqual([true, testRun.directory]);
});
