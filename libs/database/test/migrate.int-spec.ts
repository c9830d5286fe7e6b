import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { TestDatabase } from '@svc/test-servers';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrate, schemaDataSource, schemaRole } from '../src/index.js';
import { createTestDatabase } from './test-database.js';

class First1700000000000 implements MigrationInterface {
  name = 'First1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE plant (id int PRIMARY KEY)');
    await runner.query('INSERT INTO plant VALUES (1)');
  }
  async down(): Promise<void> {}
}

class Second1700000000001 implements MigrationInterface {
  name = 'Second1700000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE plant ADD COLUMN kind text NOT NULL DEFAULT 'fern'`);
  }
  async down(): Promise<void> {}
}

class Broken1700000000002 implements MigrationInterface {
  name = 'Broken1700000000002';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE pot (id int)');
    await runner.query('SELECT 1 / 0');
  }
  async down(): Promise<void> {}
}

jest.spyOn(console, 'log').mockImplementation(() => undefined); // TypeORM prints what failed

let database: TestDatabase;
const open: DataSource[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const dataSource of open.splice(0)) await dataSource.destroy();
  await database.drop();
});

const garden = (migrations = [First1700000000000, Second1700000000001], url = database.url) =>
  migrate({ url, schema: 'garden', migrations });

async function asService(schema: string): Promise<DataSource> {
  const dataSource = new DataSource(schemaDataSource({ url: database.url, schema, entities: [] }));
  open.push(await dataSource.initialize());
  return dataSource;
}

describe('migrating', () => {
  test('an empty database makes the schema and tells what ran', async () => {
    expect(await garden()).toEqual(['First1700000000000', 'Second1700000000001']);
    expect(await database.query('SELECT * FROM garden.plant')).toEqual([{ id: 1, kind: 'fern' }]);
  });

  test('again does nothing', async () => {
    await garden();
    expect(await garden()).toEqual([]);
  });

  test("later runs only what is new, and what is new is the service's to use", async () => {
    await garden([First1700000000000]);
    expect(await garden()).toEqual(['Second1700000000001']);
    const service = await asService('garden');
    await service.query(`INSERT INTO plant VALUES (2, 'moss')`);
  });

  test('from five processes at once runs each migration once', async () => {
    const ran = await Promise.all(Array.from({ length: 5 }, () => garden()));
    expect(ran.flat()).toEqual(['First1700000000000', 'Second1700000000001']);
  });

  test('different schemas and databases at once does not collide over their roles', async () => {
    const other = await createTestDatabase();
    const names = ['meadow', 'forest', 'swamp'];
    const all = [database.url, other.url].flatMap((url) =>
      names.map((schema) => migrate({ url, schema, migrations: [First1700000000000] })),
    );
    expect(await Promise.all(all)).toEqual(Array(6).fill(['First1700000000000']));
    await other.drop();
  });

  test('that fails leaves nothing of the failed step and keeps those before', async () => {
    await expect(garden([First1700000000000, Broken1700000000002] as never)).rejects.toThrow(
      'division by zero',
    );
    const tables = await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'garden'`);
    expect(tables.map(({ tablename }) => tablename).toSorted()).toEqual(['migration', 'plant', 'sql_file']);
    expect(await garden()).toEqual(['Second1700000000001']);
  });
});

describe('the role of a schema', () => {
  test('may not touch the tables of another', async () => {
    await garden();
    await migrate({ url: database.url, schema: 'attic', migrations: [] });
    const attic = await asService('attic');
    await expect(attic.query('SELECT * FROM garden.plant')).rejects.toThrow('permission denied');
    expect(await attic.query("SELECT svc_now() > now() - interval '1 minute' AS ok")).toEqual([{ ok: true }]);
  });

  test.each([
    ['change the schema', 'CREATE TABLE garden.weed (id int)'],
    ['read what ran', 'SELECT * FROM garden.migration'],
    ['read which files were applied', 'SELECT * FROM garden.sql_file'],
    ['move the clock', 'SELECT public.svc_clock_set(1)'],
    ['look at the clock row', 'SELECT * FROM public.svc_clock'],
  ])('may not %s', async (_, sql) => {
    await garden();
    const service = await asService('garden');
    expect(await service.query('SELECT current_user AS role')).toEqual([{ role: schemaRole('garden') }]);
    await expect(service.query(sql)).rejects.toThrow('permission denied');
  });
});

describe('domain time', () => {
  const TENANT = '0198c0de-0000-7000-8000-0000000000a1';
  const aheadOfReal = async (service: DataSource, tenant: string | null): Promise<number> => {
    const sql = 'SELECT round(extract(epoch FROM svc_now($1) - clock_timestamp()))::float8 AS seconds';
    const [row] = await service.query<{ seconds: number }[]>(sql, [tenant]);
    return row!.seconds;
  };

  test('is real time until somebody moves it', async () => {
    await garden();
    expect(await aheadOfReal(await asService('garden'), null)).toBe(0);
  });

  test('moves for everybody by the offset that is set, and back', async () => {
    await garden();
    const service = await asService('garden');
    for (const seconds of [3_600, -86_400, 0]) {
      await database.query('SELECT public.svc_clock_set($1)', [seconds * 1_000]);
      expect(await aheadOfReal(service, null)).toBe(seconds);
      expect(await aheadOfReal(service, TENANT)).toBe(seconds);
    }
  });

  test('of one tenant moves on top of that, for this tenant alone', async () => {
    await garden();
    const service = await asService('garden');
    await database.query('SELECT public.svc_clock_set(60000)');
    await database.query('INSERT INTO public.svc_clock VALUES ($1, 5000)', [TENANT]);
    expect(await aheadOfReal(service, TENANT)).toBe(65);
    expect(await aheadOfReal(service, null)).toBe(60);
    expect(await aheadOfReal(service, '0198c0de-0000-7000-8000-0000000000a2')).toBe(60);
  });

  test.each([
    ['ahead', '9000000000000000000', 3_155_760_000],
    ['behind', '-9000000000000000000', -3_155_760_000],
  ])(
    'of a clock that is beyond all dates stays a hundred years %s, and stops no other',
    async (_, ms, ahead) => {
      await garden();
      const service = await asService('garden');
      await database.query('SELECT public.svc_clock_set(0)');
      await database.query(
        'INSERT INTO public.svc_clock VALUES ($1, $2) ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = excluded.offset_ms',
        [TENANT, ms],
      );
      const both = [TENANT, '0198c0de-0000-7000-8000-0000000000a2'];
      const sql = 'SELECT tenant, svc_now(tenant) IS NOT NULL AS "hasTime" FROM unnest($1::uuid[]) AS tenant';
      expect(await service.query(sql, [both])).toEqual(both.map((tenant) => ({ tenant, hasTime: true })));
      expect(Math.abs((await aheadOfReal(service, TENANT)) - ahead)).toBeLessThan(10);
      const [own] = await service.query<{ offset_ms: string }[]>('SELECT * FROM svc_offsets($1)', [[TENANT]]);
      expect(Number(own?.offset_ms)).toBe(ahead * 1_000);
    },
  );

  test('of a release before this one is made total, too', async () => {
    await garden();
    await database.query(`CREATE OR REPLACE FUNCTION public.svc_now(tenant uuid DEFAULT NULL) RETURNS timestamptz
      LANGUAGE sql STABLE AS $$SELECT clock_timestamp() + interval '400000 years'$$`);
    await migrate({ url: database.url, schema: 'meadow', migrations: [First1700000000000] });
    await database.query('SELECT public.svc_clock_set(0)');
    expect(await aheadOfReal(await asService('meadow'), null)).toBe(0);
  });

  test('survives that another service is migrated', async () => {
    await garden();
    await database.query('SELECT public.svc_clock_set(60000)');
    await migrate({ url: database.url, schema: 'meadow', migrations: [First1700000000000] });
    expect(await aheadOfReal(await asService('meadow'), null)).toBe(60);
  });
});
