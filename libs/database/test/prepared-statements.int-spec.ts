import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestDatabase } from '@svc/test-servers';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { isDatabaseAway, schemaDataSource } from '../src/index.js';
import { createTestDatabase } from './test-database.js';

class Rooms1700000000000 implements MigrationInterface {
  name = 'Rooms1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE room (id integer PRIMARY KEY, name text NOT NULL)');
    await runner.query(`INSERT INTO room SELECT n, 'room ' || n FROM generate_series(1, 3) n`);
  }
  async down(): Promise<void> {}
}

/** Number of runs of a text: more than it needs before it is prepared. */
const TIMES = 8;
let database: TestDatabase;
let service: DataSource;

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'hotel', migrations: [Rooms1700000000000] });
});
beforeEach(async () => {
  const connection = { url: database.url, schema: 'hotel', entities: [], poolSize: 1 };
  service = await new DataSource(schemaDataSource(connection)).initialize();
});
afterEach(() => service.destroy());
afterAll(() => database.drop());

const roomSql = (mark: string): string => `/* ${mark} */ SELECT * FROM room WHERE id = $1`;
/** Counts the statements with this mark that the connection of the service has prepared. */
const prepared = async (mark: string): Promise<number> => {
  const rows = await service.query<{ statement: string }[]>('SELECT statement FROM pg_prepared_statements');
  return rows.filter(({ statement }) => statement.includes(mark)).length;
};
const ask = async (mark: string, times: number): Promise<unknown[]> => {
  const answers: unknown[] = [];
  for (let n = 0; n < times; n += 1) answers.push(await service.query(roomSql(mark), [(n % 3) + 1]));
  return answers;
};

describe('a statement of a service', () => {
  test('is prepared once when it comes again and again, and answers as before', async () => {
    const answers = await ask('often', TIMES);
    expect(answers.slice(0, 3)).toEqual([1, 2, 3].map((id) => [{ id, name: `room ${id}` }]));
    expect(answers.slice(3, 6)).toEqual(answers.slice(0, 3));
    expect(await prepared('often')).toBe(1);
  });

  test('that has no values is prepared like any other, and several in one text are not', async () => {
    for (let n = 0; n < TIMES; n += 1) {
      expect(await service.query('SELECT count(*)::int AS n FROM room -- bare')).toEqual([{ n: 3 }]);
      await service.query('SELECT 1; SELECT 2 -- several');
    }
    expect(await prepared('-- bare')).toBe(1);
    expect(await prepared('-- several')).toBe(0);
  });

  test('that came once is forgotten by the server', async () => {
    await ask('once', 1);
    expect(await prepared('once')).toBe(0);
  });

  test('whose length changes with its list leaves nothing behind', async () => {
    for (let length = 1; length <= 40; length += 1) {
      const list = Array.from({ length }, (_, n) => `$${n + 1}`).join(', ');
      const values = Array.from({ length }, (_, n) => n);
      await service.query(`/* list */ SELECT id FROM room WHERE id IN (${list})`, values);
    }
    expect(await prepared('list')).toBe(0);
  });

  test('is answered all the same when a migration changes what it gives back', async () => {
    await ask('migrated', TIMES);
    await database.query('ALTER TABLE hotel.room ADD COLUMN floor integer');
    expect(await ask('migrated', 1)).toEqual([[{ id: 1, name: 'room 1', floor: null }]]);
  });

  test('whose migration comes before a transaction fails in it as if the database were away, once', async () => {
    const name = async (mark: string): Promise<string | undefined> =>
      service.transaction(async (tx) => (await tx.query<{ name: string }[]>(roomSql(mark), [1]))[0]?.name);
    await ask('in transaction', TIMES);
    await database.query('ALTER TABLE hotel.room ADD COLUMN view text');
    const error: unknown = await name('in transaction').catch((thrown: unknown) => thrown);
    expect(isDatabaseAway(error)).toBe(true);
    expect(await name('in transaction')).toBe('room 1');
  });

  test('tells its own failure, prepared or not', async () => {
    const wrong = (): Promise<unknown> => service.query('SELECT 1 / ($1::int - 1) AS n', [1]);
    for (let n = 0; n < TIMES; n += 1) await expect(wrong()).rejects.toThrow(/division by zero/);
  });

  test('reads its table by the index, however small that was when the plan was made', async () => {
    await ask('index', TIMES);
    const plan = await service.query<Record<string, string>[]>('EXPLAIN SELECT * FROM room WHERE id = 2');
    expect(JSON.stringify(plan)).toContain('Index Scan');
  });
});
