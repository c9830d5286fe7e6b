import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestDatabase } from '@svc/test-servers';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate, sqlFolder } from '../src/index.js';
import { createTestDatabase } from './test-database.js';

class Cakes1700000000000 implements MigrationInterface {
  name = 'Cakes1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE cake (id int PRIMARY KEY)');
  }
  async down(): Promise<void> {}
}

let database: TestDatabase;
let app: string;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await mkdtemp(join(tmpdir(), 'svc-sql-'));
  await mkdir(join(app, 'src/sql'), { recursive: true });
});
afterEach(async () => {
  await database.drop();
  await rm(app, { recursive: true, force: true });
});

const moduleUrl = (): string => pathToFileURL(join(app, 'src/migrations/schema.ts')).href;
const write = (name: string, text: string): Promise<void> => writeFile(join(app, 'src/sql', name), text);
const aFunction = (name: string, body: string): string =>
  `CREATE OR REPLACE FUNCTION ${name}() RETURNS text LANGUAGE sql AS $body$ ${body} $body$;\n`;
const bakery = (): Promise<string[]> =>
  migrate({
    url: database.url,
    schema: 'bakery',
    migrations: [Cakes1700000000000],
    sql: sqlFolder(moduleUrl()),
  });
const answerOf = async (name: string): Promise<unknown> =>
  (await database.query(`SELECT bakery.${name}() AS answer`))[0]?.['answer'];
/** Reads the times at which the files were applied last, by name. */
const applied = async (): Promise<Record<string, number>> => {
  const rows = await database.query<{ name: string; applied_at: Date }>('SELECT * FROM bakery.sql_file');
  return Object.fromEntries(rows.map((row) => [row.name, row.applied_at.getTime()]));
};

describe('a SQL file', () => {
  test('is applied after the migrations, in the order of the names', async () => {
    await write('b_price.sql', aFunction('price', 'SELECT bakery.flour()'));
    await write('a_flour.sql', aFunction('flour', 'SELECT count(*) || $$ cakes$$ FROM bakery.cake'));
    await write('notes.md', 'no SQL');
    expect(await bakery()).toEqual(['Cakes1700000000000', 'a_flour.sql', 'b_price.sql']);
    expect(await answerOf('price')).toBe('0 cakes');
  });

  test('that has changed is applied again, one that has not is left alone', async () => {
    await write('flour.sql', aFunction('flour', `SELECT 'wheat'`));
    await write('sugar.sql', aFunction('sugar', `SELECT 'white'`));
    await bakery();
    const before = await applied();
    expect(await bakery()).toEqual([]);
    expect(await applied()).toEqual(before);
    await write('flour.sql', aFunction('flour', `SELECT 'rye'`));
    expect(await bakery()).toEqual(['flour.sql']);
    expect(await answerOf('flour')).toBe('rye');
    expect((await applied())['sugar.sql']).toBe(before['sugar.sql']);
    expect((await applied())['flour.sql']).toBeGreaterThan(before['flour.sql']!);
  });

  test('that is wrong is named, changes nothing, and keeps the others from changing', async () => {
    await write('flour.sql', aFunction('flour', `SELECT 'wheat'`));
    await write('sugar.sql', aFunction('sugar', `SELECT 'white'`));
    await bakery();
    const before = await applied();
    await write('flour.sql', aFunction('flour', `SELECT 'rye'`));
    await write('sugar.sql', aFunction('sugar', 'SELEC'));
    await expect(bakery()).rejects.toThrow(/^sugar\.sql: syntax error/);
    expect([await answerOf('flour'), await answerOf('sugar')]).toEqual(['wheat', 'white']);
    expect(await applied()).toEqual(before);
    await write('sugar.sql', aFunction('sugar', `SELECT 'brown'`));
    expect(await bakery()).toEqual(['flour.sql', 'sugar.sql']);
  });

  test('that was away for a release is applied again, though its text is the same', async () => {
    await write('flour.sql', aFunction('flour', `SELECT 'wheat'`));
    await bakery();
    await rm(join(app, 'src/sql/flour.sql'));
    expect(await bakery()).toEqual([]);
    await write('flour.sql', aFunction('flour', `SELECT 'wheat'`));
    expect(await bakery()).toEqual(['flour.sql']);
  });

  test('is applied once by several processes at one time', async () => {
    await write('flour.sql', aFunction('flour', `SELECT 'wheat'`));
    const ran = await Promise.all(Array.from({ length: 5 }, () => bakery()));
    expect(ran.flat().sort()).toEqual(['Cakes1700000000000', 'flour.sql']);
  });
});

describe('the folder of an app', () => {
  test.each(['src/migrations/schema.ts', 'dist/migrations/schema.js', 'dist/bundle/migrate.js'])(
    'is found by %s, and where only what is built is shipped, too',
    async (path) => {
      const url = pathToFileURL(join(app, path)).href;
      expect(sqlFolder(url)).toEqual(pathToFileURL(`${join(app, 'src/sql')}/`));
      await mkdir(join(app, 'dist/sql'), { recursive: true });
      await rm(join(app, 'src'), { recursive: true });
      expect(sqlFolder(url)).toEqual(pathToFileURL(`${join(app, 'dist/sql')}/`));
    },
  );

  test('that is missing is an error, not a schema without functions', async () => {
    await rm(join(app, 'src'), { recursive: true });
    expect(() => sqlFolder(moduleUrl())).toThrow('There are no SQL files');
  });
});
