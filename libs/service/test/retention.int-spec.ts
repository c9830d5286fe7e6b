import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { schemaDataSource } from '@svc/database';
import type { TestDatabase } from '@svc/test-servers';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { PeriodicTasks, Retention, type RetentionRule } from '../src/index.js';
import { createTestDatabase } from './http-service.js';

class Attic1700000000000 implements MigrationInterface {
  name = 'Attic1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE box (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), made timestamptz NOT NULL, kept boolean NOT NULL DEFAULT false);
      CREATE TABLE thing (box_id uuid NOT NULL);
      CREATE TABLE diary (day date NOT NULL)`);
  }
  async down(): Promise<void> {}
}

const OLD_BOXES: RetentionRule = { table: 'box', where: `made < now - interval '30 days' AND NOT kept` };

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'attic', migrations: [Attic1700000000000] });
  const options = schemaDataSource({ url: database.url, schema: 'attic', entities: [] });
  dataSource = await new DataSource(options).initialize();
});
beforeEach(() => database.query('TRUNCATE attic.box, attic.thing, attic.diary, public.svc_clock'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const retention = (...rules: RetentionRule[]): Retention =>
  new Retention(dataSource, new PeriodicTasks(), rules);
/** Makes as many boxes of this age. */
const boxes = (count: number, days: number): Promise<unknown> =>
  database.query(
    `INSERT INTO attic.box (made) SELECT now() - $2 * interval '1 day' FROM generate_series(1, $1)`,
    [count, days],
  );
const left = async (table: string): Promise<number> => {
  const [row] = await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM attic.${table}`);
  return row!.n;
};

test('what is old goes, however much it is, and what is young or kept stays', async () => {
  await boxes(2_500, 31);
  await boxes(2, 29);
  await database.query(
    `UPDATE attic.box SET kept = true WHERE id = (SELECT id FROM attic.box WHERE made < now() - interval '30 days' LIMIT 1)`,
  );
  await retention(OLD_BOXES).deleteOld();
  expect(await left('box')).toBe(3);
});

test('age is by domain time, days are those of UTC', async () => {
  await boxes(1, 0);
  await database.query(`INSERT INTO attic.diary SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date`);
  const rules = [OLD_BOXES, { table: 'diary', where: 'day < today - 30' }];
  const month = 30 * 86_400_000;
  await database.query('SELECT public.svc_clock_set($1)', [month - 60_000]);
  await retention(...rules).deleteOld();
  expect([await left('box'), await left('diary')]).toEqual([1, 1]);
  await database.query('SELECT public.svc_clock_set($1)', [month + 86_400_000]);
  await retention(...rules).deleteOld();
  expect([await left('box'), await left('diary')]).toEqual([0, 0]);
});

test('one table that cannot be cleaned leaves the others alone', async () => {
  await boxes(1, 31);
  await retention({ table: 'nowhere', where: 'true' }, OLD_BOXES).deleteOld();
  expect(await left('box')).toBe(0);
});

describe('what belongs to a row', () => {
  test('outside the database goes before it, and a row for which that failed is found again', async () => {
    await boxes(250, 31);
    const removed: string[] = [];
    let fails = true;
    const before = async (ids: string[]): Promise<void> => {
      expect(await left('box')).toBe(250 - removed.length);
      if (removed.length === 100 && fails) throw new Error('the store is away');
      removed.push(...ids);
    };
    const rule = { ...OLD_BOXES, before };
    await retention(rule).deleteOld();
    expect(await left('box')).toBe(150);
    fails = false;
    await retention(rule).deleteOld();
    expect(await left('box')).toBe(0);
    expect(new Set(removed).size).toBe(250);
  });

  test('in the database goes with it, by one statement', async () => {
    await boxes(1_100, 31);
    await boxes(1, 1);
    await database.query('INSERT INTO attic.thing SELECT id FROM attic.box');
    const remove = `WITH gone AS (DELETE FROM box WHERE id = ANY ($1::uuid[]) RETURNING id)
      DELETE FROM thing USING gone WHERE box_id = gone.id`;
    await retention({ ...OLD_BOXES, order: 'made', remove }).deleteOld();
    expect([await left('box'), await left('thing')]).toEqual([1, 1]);
  });
});

test('two processes at one time leave nothing, and do not disturb each other', async () => {
  await boxes(3_000, 31);
  const both = [retention(OLD_BOXES), retention(OLD_BOXES)];
  await Promise.all(both.map((one) => one.deleteOld()));
  expect(await left('box')).toBe(0);
});

test('a service that stops does not wait for all of it', async () => {
  await boxes(3_000, 31);
  await retention(OLD_BOXES).deleteOld(AbortSignal.abort());
  expect(await left('box')).toBe(3_000);
});
