import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loginOf } from '@svc/database/logins';
import { waitFor } from '@svc/testing';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { SERVICES } from '../src/services/services.js';
import { loadSecrets } from '../src/state/secrets.js';
import type { StackDescription } from '../src/state/stack-file.js';
import { environmentOf, Launcher, processesOf } from './launcher.js';

const dataDir = mkdtempSync(join(tmpdir(), 'launcher-logins-'));
let launcher: Launcher;
let stack: StackDescription;
let owner: pg.Client;

/** The tests of this file are one story and run in order: a start takes seconds. */
beforeAll(start);
afterAll(async () => {
  await owner.end();
  launcher.signal('SIGKILL');
  await launcher.exited;
  await waitFor('nothing is left', () => processesOf(dataDir, stack).length === 0, 60_000);
  rmSync(dataDir, { recursive: true });
});

async function start(): Promise<void> {
  launcher = new Launcher(dataDir);
  stack = await launcher.ready();
  owner = new pg.Client({ connectionString: stack.postgres });
  owner.on('error', () => undefined);
  await owner.connect();
}

const rowsOf = async <T extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<T[]> =>
  (await owner.query<T>(sql, values)).rows;
const addressOf = (service: string): string =>
  environmentOf(launcher.pidOf(service) as number)['DATABASE_URL'] as string;
const loginNames = (): string[] =>
  SERVICES.map(({ schema }) => `svc_${schema}_login_${loadSecrets(dataDir).stackId}`).sort();

/** Lists who is connected, but for the connection of this test. */
async function connected(): Promise<string[]> {
  const sql = `SELECT DISTINCT usename AS login FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY 1`;
  return (await rowsOf<{ login: string }>(sql)).map(({ login }) => login);
}

/** Tries a statement; returns the code of the refusal. */
async function attempt(client: pg.Client, sql: string): Promise<string> {
  return client.query(sql).then(
    () => 'allowed',
    ({ code }: { code: string }) => code,
  );
}

const INSUFFICIENT_PRIVILEGE = '42501';
const TABLES_SQL = `SELECT nspname AS schema, coalesce(array_agg(relname::text) FILTER (WHERE relname IS NOT NULL), '{}') AS tables
  FROM pg_namespace LEFT JOIN pg_class ON relnamespace = pg_namespace.oid AND relkind IN ('r', 'p', 'v')
  WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' GROUP BY nspname ORDER BY nspname`;

describe('each service of a stack', () => {
  test('is connected to the database as its own login, and the owner is nobody of them', async () => {
    expect(await connected()).toEqual(loginNames());
    for (const { name, schema } of SERVICES)
      expect(loginOf(addressOf(name)).name).toBe(`svc_${schema}_login_${loadSecrets(dataDir).stackId}`);
    expect(loginOf(stack.postgres).name).toBe('postgres');
  });

  test('keeps its password out of logs and argument lists', () => {
    const logs = readdirSync(join(dataDir, 'logs')).map((name) =>
      readFileSync(join(dataDir, 'logs', name), 'utf8'),
    );
    const seen = [...logs, ...processesOf(dataDir, stack), launcher.output].join('\n');
    const told = SERVICES.filter(({ name }) => seen.includes(loginOf(addressOf(name)).password));
    expect(told).toEqual([]);
  });

  test('has its own schema alone: each attempt on another one is refused, with its role and without', async () => {
    const schemas = await rowsOf<{ schema: string; tables: string[] }>(TABLES_SQL);
    expect(schemas.map(({ schema }) => schema)).toEqual(
      [...SERVICES.map(({ schema }) => schema), 'public'].sort(),
    );
    const others = ['postgres', ...SERVICES.map(({ schema }) => `svc_${schema}`), ...loginNames()];
    for (const { name, schema: own } of SERVICES) {
      const client = new pg.Client({ connectionString: addressOf(name) });
      await client.connect();
      const foreign = schemas.filter(({ schema }) => schema !== own);
      const attempts = [
        ...others
          .filter((role) => ![`svc_${own}`, loginOf(addressOf(name)).name].includes(role))
          .flatMap((role) => [`SET ROLE "${role}"`, `SET SESSION AUTHORIZATION "${role}"`]),
        ...foreign.flatMap(({ schema, tables }) => [
          `CREATE TABLE "${schema}".mine ()`,
          ...tables.flatMap((table) => [
            `SELECT FROM "${schema}"."${table}"`,
            `INSERT INTO "${schema}"."${table}" DEFAULT VALUES`,
            `DELETE FROM "${schema}"."${table}"`,
          ]),
        ]),
      ];
      const allowed: string[] = [];
      for (const before of ['RESET ROLE', `SET ROLE svc_${own}`]) {
        await client.query(before);
        for (const sql of attempts) {
          const code = await attempt(client, sql);
          if (code !== INSUFFICIENT_PRIVILEGE) allowed.push(`${before}; ${sql}: ${code}`);
        }
      }
      expect({ name, allowed }).toEqual({ name, allowed: [] });
      const tables = schemas.find(({ schema }) => schema === own)?.tables ?? [];
      const bookkeeping = ['migration', 'sql_file'];
      for (const table of tables.filter((one) => !bookkeeping.includes(one)))
        expect(await attempt(client, `SELECT FROM "${own}"."${table}"`)).toBe('allowed');
      await client.end();
    }
  });

  test('gets a login where the folder is of a version that had none', async () => {
    const names = loginNames();
    expect(await launcher.stop()).toBe(0);
    const path = join(dataDir, 'secrets.json');
    const { databaseKey, ...before } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify(before));
    await start();
    expect(loadSecrets(dataDir).databaseKey).not.toBe(databaseKey);
    expect(await connected()).toEqual(names);
  });
});
