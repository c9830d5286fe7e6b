import { expect, test } from '@jest/globals';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { schemaDataSource } from '@svc/database';
import { createTestDatabase, startTestNats } from '@svc/testing';

class Shelf1700000000000 implements MigrationInterface {
  name = 'Shelf1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE book (id int PRIMARY KEY)');
  }
  async down(): Promise<void> {}
}

test('gives each caller a migrated database of its own', async () => {
  const shelf = { schema: 'shelf', migrations: [Shelf1700000000000] };
  const [one, two] = await Promise.all([createTestDatabase(shelf), createTestDatabase(shelf)]);
  await one.query('INSERT INTO shelf.book VALUES (1)');
  expect(await two.query('SELECT * FROM shelf.book')).toEqual([]);
  await Promise.all([one.drop(), two.drop()]);
});

test('a service that connects for its schema may not touch another', async () => {
  const database = await createTestDatabase(
    { schema: 'shelf', migrations: [Shelf1700000000000] },
    { schema: 'attic', migrations: [] },
  );
  const attic = new DataSource(schemaDataSource({ url: database.url, schema: 'attic', entities: [] }));
  await attic.initialize();
  await expect(attic.query('SELECT * FROM shelf.book')).rejects.toThrow('permission denied');
  expect(await attic.query("SELECT svc_now() > now() - interval '1 minute' AS ok")).toEqual([{ ok: true }]);
  await attic.destroy();
  await database.drop();
});

test('a nats-server of the file survives a kill with its port', async () => {
  const nats = await startTestNats();
  const before = nats.url;
  await nats.restart();
  expect(nats.url).toBe(before);
  await nats.stop();
});
