import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { AppError } from '@svc/contracts';
import { migrate } from '@svc/database';
import { loginOf, loginUrl } from '@svc/database/logins';
import { type LocalServer, startPostgres } from '@svc/local-servers';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { grantDatabase } from '../src/operator/database-grant.js';
import type { Values } from '../src/operator/operator-commands.js';
import { SERVICES } from '../src/services/services.js';
import { operatorOf, run } from './launcher.js';

const directory = mkdtempSync(join(tmpdir(), 'launcher-grant-'));
const folder = join(directory, 'logins');
let postgres: LocalServer;

beforeAll(async () => {
  postgres = await startPostgres({ dataDir: join(directory, 'postgres'), settings: { fsync: 'off' } });
  for (const { schema } of SERVICES) await migrate({ url: postgres.url, schema, migrations: [] });
});
beforeEach(() => void mkdirSync(folder, { mode: 0o700 }));
afterEach(async () => {
  rmSync(folder, { recursive: true });
  const logins = await query(postgres.url, `SELECT rolname AS name FROM pg_roles WHERE rolname ~ '_login$'`);
  for (const { name } of logins) await query(postgres.url, `DROP ROLE ${name}`);
});
afterAll(async () => {
  await postgres.stop();
  rmSync(directory, { recursive: true });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

interface Granted {
  logins: { service: string; login: string; file: string; isNew: boolean }[];
}

/** Runs the command as the owner of the database and returns its answer. */
async function grant(...args: string[]): Promise<Granted> {
  const command = operatorOf('database', 'grant', '--folder', folder, ...args);
  const { code, stdout, stderr } = await run(command, { DATABASE_URL: postgres.url });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Granted;
}

const textOf = (service: string): string => readFileSync(join(folder, `${service}.env`), 'utf8');
const addressOf = (service: string): string => /^DATABASE_URL=(.*)$/m.exec(textOf(service))?.[1] as string;
const write = (service: string, text: string): void => writeFileSync(join(folder, `${service}.env`), text);
const roleIn = async (service: string): Promise<unknown> => {
  const { schema } = SERVICES.find(({ name }) => name === service) as (typeof SERVICES)[number];
  return query(addressOf(service), `SET ROLE svc_${schema}`).then(
    () => schema,
    (error: Error) => error.message,
  );
};

test('each service gets a login, and a file that only its owner reads', async () => {
  rmSync(folder, { recursive: true });
  const { logins } = await grant();
  expect(logins).toEqual(
    SERVICES.map(({ name, schema }) => ({
      ...{ service: name, login: `svc_${schema}_login`, file: join(folder, `${name}.env`), isNew: true },
    })),
  );
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder).sort()).toEqual(SERVICES.map(({ name }) => `${name}.env`).sort());
  for (const { name, schema } of SERVICES) {
    expect(statSync(join(folder, `${name}.env`)).mode & 0o777).toBe(0o600);
    expect(await roleIn(name)).toBe(schema);
    expect(textOf(name)).not.toContain(loginOf(postgres.url).password);
    expect(JSON.stringify(logins)).not.toContain(loginOf(addressOf(name)).password);
  }
});

test('what the files say is granted again, on another server as well', async () => {
  await grant();
  const before = textOf('limits');
  await query(postgres.url, 'DROP ROLE svc_limits_login');
  const { logins } = await grant();
  expect(logins.map(({ isNew }) => isNew)).toEqual(SERVICES.map(() => false));
  expect(textOf('limits')).toBe(before);
  expect(await roleIn('limits')).toBe('limits');
});

test('a file that the operator wrote says name and password, and all else stays', async () => {
  const address = loginUrl(postgres.url, { name: 'shop_limits_login', password: 'from a vault' });
  write('limits', `LOG_LEVEL=info\nDATABASE_URL=${address}\n`);
  const { logins } = await grant('--service', 'limits');
  expect(logins).toMatchObject([{ service: 'limits', login: 'shop_limits_login', isNew: false }]);
  expect(await roleIn('limits')).toBe('limits');
  await grant('--service', 'limits', '--renew');
  expect(textOf('limits')).toMatch(/^LOG_LEVEL=info\nDATABASE_URL=postgres:\/\/shop_limits_login:[\w-]{43}@/);
});

test('a login is renewed when it is said so, of one service alone', async () => {
  await grant();
  const [limits, billing] = [addressOf('limits'), textOf('billing')];
  await grant('--service', 'limits', '--renew');
  expect(await roleIn('limits')).toBe('limits');
  expect(textOf('billing')).toBe(billing);
  await expect(query(limits, 'SELECT 1')).rejects.toThrow('password authentication failed');
});

describe('the operator is told what is wrong, and nothing is made:', () => {
  // A process for each would take a second.
  const refusal = (
    more: Values = {},
    env: NodeJS.ProcessEnv = { DATABASE_URL: postgres.url },
  ): Promise<string> =>
    grantDatabase({ folder, ...more }, { dataDir: undefined, env: { DATA_DIR: directory, ...env } }).then(
      () => 'granted',
      (error: AppError) => `${error.code}: ${error.message}`,
    );
  const names = async (): Promise<unknown[]> =>
    query(postgres.url, `SELECT FROM pg_roles WHERE rolname ~ '_login$'`);

  test('a login whose password is in no file of the folder', async () => {
    await grant('--service', 'limits');
    rmSync(join(folder, 'limits.env'));
    expect(await refusal()).toMatch(/svc_limits_login exists, with a password that is not known here: /);
    expect(readdirSync(folder)).toEqual([]);
    expect(await names()).toHaveLength(1);
    await grant('--renew');
    expect(await roleIn('limits')).toBe('limits');
  });

  test.each([
    ['LOG_LEVEL=info\n'],
    ['DATABASE_URL=postgres://db/svc\n'],
    ['DATABASE_URL=postgres://a:100%@db/svc\n'],
    ['DATABASE_URL=postgres://a:\u00fc@db/svc'],
  ])('the file %j', async (text) => {
    write('limits', text);
    expect(await refusal()).toMatch(/limits\.env must have a line DATABASE_URL=postgres:\/\/<login>/);
    expect(await names()).toEqual([]);
  });

  test('a service that does not exist', async () => {
    const all = SERVICES.map(({ name }) => name).join(', ');
    expect(await refusal({ service: 'shop' })).toBe(`VALIDATION_FAILED: --service must be one of ${all}.`);
  });

  test('a folder that cannot be made', async () => {
    write('file', '');
    const below = join(folder, 'file.env', 'below');
    expect(await refusal({ folder: below })).toMatch(/^VALIDATION_FAILED: The files cannot be written: /);
    expect(await names()).toEqual([]);
  });

  test.each([
    [{}, /^VALIDATION_FAILED: No stack runs with the data of .* Set DATABASE_URL \(or DATABASE_URL_FILE\)/],
    [{ DATABASE_URL: 'mysql://db' }, /^VALIDATION_FAILED: DATABASE_URL must be an address that starts/],
    [
      { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' },
      /^UPSTREAM_UNAVAILABLE: The database does not answer: .*ECONNREFUSED/,
    ],
  ])('the address of the database in %j', async (env: NodeJS.ProcessEnv, message) => {
    expect(await refusal({}, env)).toMatch(message);
  });

  test('a user that may not make logins', async () => {
    await query(postgres.url, `CREATE ROLE weak_login LOGIN PASSWORD 'weak'`);
    const weak = loginUrl(postgres.url, { name: 'weak_login', password: 'weak' });
    expect(await refusal({}, { DATABASE_URL: weak })).toBe(
      'VALIDATION_FAILED: The database refuses: permission denied to create role.',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});
