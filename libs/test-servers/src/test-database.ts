import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { testRun } from './config.js';

/** A database of one test file. */
export interface TestDatabase {
  /** A superuser's address, for a test that looks behind its service. */
  url: string;
  /** Runs a statement as superuser, outside any service. */
  query<T extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<T[]>;
  drop(): Promise<void>;
}

/** A schema that a test database is to have; what else it takes to migrate one is the caller's business. */
export interface Schema {
  schema: string;
}

type Migrate<S extends Schema> = (url: string, schema: S) => Promise<unknown>;

const TEMPLATE_LOCK = 0x7e_57;

/**
 * Makes the function that gives a test file an empty, migrated database: a copy of a template that the first caller of the run
 * prepares. Needs `globalSetup` of this package. The library that migrates is given, so that its own tests can use this, too.
 */
export function testDatabases<S extends Schema>(
  migrate: Migrate<S>,
): (...schemas: S[]) => Promise<TestDatabase> {
  return async (...schemas) => {
    const server = testRun.databaseUrl;
    const name = `test_${randomBytes(6).toString('hex')}`;
    const template = await withClient(server, (client) => prepareTemplate(client, schemas, migrate));
    await withClient(server, async (client) => {
      // Copying needs a template nobody else copies at this moment: the lock makes test files take turns.
      await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    });
    return openDatabase(name);
  };
}

function openDatabase(name: string): TestDatabase {
  const url = databaseUrl(name);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  return {
    url,
    query: async <T extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) =>
      (await pool.query<T>(sql, parameters)).rows,
    drop: async () => {
      await pool.end();
      await withClient(testRun.databaseUrl, (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
    },
  };
}

async function prepareTemplate<S extends Schema>(
  client: pg.Client,
  schemas: S[],
  migrate: Migrate<S>,
): Promise<string> {
  const template = templateOf(schemas);
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
  if (rowCount) return template;
  await client.query(`CREATE DATABASE ${template}_new`);
  for (const schema of schemas) await migrate(databaseUrl(`${template}_new`), schema);
  await client.query(`ALTER DATABASE ${template}_new RENAME TO ${template}`);
  return template;
}

/** Names the template by all that is said of the schemas, classes of migrations by their names: two test files may mean different ones. */
function templateOf(schemas: Schema[]): string {
  const nameOf = (_: string, value: unknown): unknown => (typeof value === 'function' ? value.name : value);
  const digest = createHash('sha256').update(JSON.stringify(schemas, nameOf)).digest('hex');
  return `template_${digest.slice(0, 12)}`;
}

function databaseUrl(name: string): string {
  const url = new URL(testRun.databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
