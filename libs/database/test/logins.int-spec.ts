import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestDatabase } from '@svc/test-servers';
import pg from 'pg';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { grantLogins, type Login, loginOf, loginUrl, migrate, schemaDataSource } from '../src/index.js';
import { scramVerifier } from '../src/logins/scram.js';
import { createTestDatabase } from './test-database.js';

class Bed1700000000000 implements MigrationInterface {
  name = 'Bed1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE bed (id int PRIMARY KEY)');
  }
  async down(): Promise<void> {}
}

let database: TestDatabase;
let login: Login;

beforeEach(async () => {
  database = await createTestDatabase(
    { schema: 'garden', migrations: [Bed1700000000000] },
    { schema: 'meadow', migrations: [Bed1700000000000] },
  );
  login = aLogin('garden');
});
afterEach(() => database.drop());

/** Makes a login of a new name: all databases of a server have the same ones. */
const aLogin = (schema: string): Login => ({
  ...{ schema, name: `login_${randomBytes(6).toString('hex')}`, password: randomBytes(16).toString('hex') },
});
const grant = (...logins: Login[]): Promise<void> => grantLogins(database.url, logins);
const exists = async ({ name }: Login): Promise<boolean> =>
  (await database.query('SELECT FROM pg_roles WHERE rolname = $1', [name])).length > 0;

/** Runs statements over one connection of a login. */
async function as({ name, password }: Login, ...statements: string[]): Promise<unknown> {
  const client = new pg.Client({ connectionString: loginUrl(database.url, { name, password }) });
  await client.connect();
  try {
    let last: unknown;
    for (const sql of statements) last = (await client.query(sql)).rows;
    return last;
  } finally {
    await client.end();
  }
}

test('a service works in its schema with a login of its own', async () => {
  await grant(login);
  const url = loginUrl(database.url, login);
  const service = await new DataSource(
    schemaDataSource({ url, schema: 'garden', entities: [] }),
  ).initialize();
  try {
    await service.query('INSERT INTO bed VALUES (1)');
    expect(await service.query('SELECT session_user AS login, id FROM bed')).toEqual([
      { login: login.name, id: 1 },
    ]);
    await service.query('RESET ROLE');
    await expect(service.query('SELECT * FROM meadow.bed')).rejects.toThrow('permission denied');
  } finally {
    await service.destroy();
  }
});

test.each([
  ['read its own schema before it is the role of it', 'SELECT * FROM garden.bed'],
  ['become the role of another schema', 'SET ROLE svc_meadow'],
  ['become the owner', 'SET ROLE postgres'],
  ['give its role away', 'GRANT svc_garden TO svc_meadow'],
  ['make a role', 'CREATE ROLE another'],
  ['make a schema', 'CREATE SCHEMA another'],
  ['make a table where all schemas look', 'CREATE TABLE public.bed (id int)'],
  ['run a program', `COPY (SELECT 1) TO PROGRAM 'cat'`],
])('a login may not %s', async (_, sql) => {
  await grant(login);
  await expect(as(login, sql)).rejects.toThrow(/permission denied/);
  const inRole = sql.replace('garden.bed', 'garden.migration');
  await expect(as(login, 'SET ROLE svc_garden', inRole)).rejects.toThrow(/permission denied/);
});

test('an owner that is no superuser gives its services logins, and renews them', async () => {
  const owner = { name: `owner_${randomBytes(6).toString('hex')}`, password: 'of the owner' };
  const schema = `court_${randomBytes(6).toString('hex')}`;
  const [{ name = '' } = {}] = await database.query<{ name: string }>('SELECT current_database() AS name');
  await database.query(`CREATE ROLE ${owner.name} LOGIN CREATEROLE PASSWORD '${owner.password}'`);
  await database.query(`GRANT CREATE ON DATABASE ${name} TO ${owner.name}`);
  await database.query(`GRANT CREATE ON SCHEMA public TO ${owner.name}`);
  await database.query(`ALTER TABLE public.svc_clock OWNER TO ${owner.name}`);
  const ownerUrl = loginUrl(database.url, owner);
  await migrate({ url: ownerUrl, schema, migrations: [Bed1700000000000] });
  login = aLogin(schema);
  await grantLogins(ownerUrl, [login]);
  const renewed = { ...login, password: 'another one' };
  await grantLogins(ownerUrl, [renewed]);
  const statements = [`SET ROLE svc_${schema}`, `INSERT INTO ${schema}.bed VALUES (1) RETURNING id`];
  expect(await as(renewed, ...statements)).toEqual([{ id: 1 }]);
});

test('a login is not made where its password cannot be kept', async () => {
  const full = (): never => {
    throw new Error('The disk is full.');
  };
  await expect(grantLogins(database.url, [login], full)).rejects.toThrow('The disk is full.');
  expect(await exists(login)).toBe(false);
});

test('a login that is granted again keeps its password, or gets the one that is given', async () => {
  await grant(login);
  await grant(login);
  expect(await as(login, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const next = { ...login, password: 'another one, of ASCII' };
  await grant(next);
  expect(await as(next, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await expect(as(login, 'SELECT 1')).rejects.toThrow('password authentication failed');
});

test('a login connects where not everybody may', async () => {
  const [{ name = '' } = {}] = await database.query<{ name: string }>('SELECT current_database() AS name');
  await database.query(`REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`);
  await grant(login);
  expect(await as(login, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

describe('a login is refused, and all beside it,', () => {
  const refused = async (wrong: Login, words: RegExp): Promise<void> => {
    await expect(grant(login, wrong)).rejects.toThrow(words);
    await expect(grant(login, wrong)).rejects.toMatchObject({ name: 'LoginRefused' });
    expect(await exists(login)).toBe(false);
  };

  test.each([
    ['is a superuser', 'SUPERUSER', /^login_\w+ exists and may do everything\.$/],
    ['may make roles', 'CREATEROLE CREATEDB', /exists and may create roles, create databases\.$/],
    [
      'belongs to something else',
      '',
      /is somebody else's: it may not become svc_meadow\. .* GRANT svc_meadow TO/,
    ],
    ['is a service of another schema', 'IN ROLE svc_garden', /exists and may become svc_garden as well\.$/],
  ])('that %s', async (_, options, words) => {
    const other = aLogin('meadow');
    await database.query(`CREATE ROLE ${other.name} LOGIN ${options}`);
    await refused(other, words);
  });

  test('that owns a table', async () => {
    const other = aLogin('meadow');
    await database.query(`CREATE ROLE ${other.name} LOGIN IN ROLE svc_meadow`);
    await database.query(`CREATE TABLE public.mine (); ALTER TABLE public.mine OWNER TO ${other.name}`);
    await refused(other, /exists and owns something\.$/);
  });

  test('that is the owner', () => refused({ ...login, name: 'postgres' }, /^postgres is the owner itself/));

  test('that is there with a password that nobody knows', async () => {
    const other = aLogin('meadow');
    await grant(other);
    await refused(
      { ...other, mustBeNew: true },
      /exists, with a password that is not known here: bring that password along, or renew it\.$/,
    );
  });

  test('whose schema was never made', () =>
    refused(aLogin('desert'), /^The role svc_desert is missing: run the migrations of desert first\.$/));
});

test('the address of a login has nothing of the owner in it, and all else', () => {
  const owner =
    'postgres://owner:secret@db:5433/svc?sslmode=verify-full&sslkey=k&sslcert=c&user=owner&password=secret';
  expect(loginUrl(owner, { name: 'a b', password: 'p/w' })).toBe(
    'postgres://a%20b:p%2Fw@db:5433/svc?sslmode=verify-full',
  );
  expect(loginUrl('postgres:///svc?host=/run/pg&user=owner', { name: 'a', password: 'p/w' })).toBe(
    'postgres:///svc?host=%2Frun%2Fpg&user=a&password=p%2Fw',
  );
  for (const address of [owner, 'postgres:///svc?host=/run/pg'])
    expect(loginOf(loginUrl(address, { name: 'a b', password: 'p/w' }))).toEqual({
      ...{ name: 'a b', password: 'p/w' },
    });
});

test('a verifier is the one that PostgreSQL makes of the password', async () => {
  await database.query(
    `SET password_encryption = 'scram-sha-256'; CREATE ROLE ${login.name} PASSWORD 'of ASCII'`,
  );
  const sql = 'SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = $1';
  const [row] = await database.query<{ verifier: string }>(sql, [login.name]);
  const [, salt = ''] = /^SCRAM-SHA-256\$4096:([^$]+)\$/.exec(row?.verifier ?? '') ?? [];
  expect(scramVerifier('of ASCII', Buffer.from(salt, 'base64'))).toBe(row?.verifier);
});
