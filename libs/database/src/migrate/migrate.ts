import pg from 'pg';
import { DataSource, type MigrationInterface, type MixedList } from 'typeorm';
import { schemaRole } from '../schema-connection.js';
import { CLOCK_SQL } from './clock.js';
import { applySqlFiles, sqlFileTable } from './sql-files.js';

/** Database and schema to bring up to date. */
export interface MigrateOptions {
  /** A user that may create schemas and roles. */
  url: string;
  schema: string;
  migrations: MixedList<new () => MigrationInterface>;
  /**
   * Folder with a file for each SQL function of the schema (`sqlFolder`). A file is applied when it is new or has changed, after the
   * migrations. So it holds what can be applied again, and while the release before still runs: `CREATE OR REPLACE`, with the parameters
   * and the result that the release before calls; another signature is another function beside it in the same file. Tables, dropped
   * functions, grants and triggers on new tables are a migration's business; no migration needs a function that only a file makes.
   */
  sql?: URL;
}

/** Cluster-wide lock number: roles are shared by all databases, so two migrations at once would collide. */
const MIGRATION_LOCK = 0x5c_67;

/**
 * Creates the schema, its role and the clock, then runs the outstanding migrations and applies the SQL files that have changed. Safe to
 * call from several processes at once and again and again.
 * @returns names of the migrations that ran and of the files that were applied.
 */
export async function migrate({ url, schema, migrations, sql }: MigrateOptions): Promise<string[]> {
  const dataSource = new DataSource({
    type: 'postgres',
    driver: pg, // TypeORM would look for it in node_modules, which a program that is bundled does not have
    url,
    schema,
    migrations,
    migrationsTableName: 'migration',
    installExtensions: false,
    poolSize: 2,
    extra: { options: `-c search_path=${schema},public` },
  });
  await dataSource.initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await prepareSchema(dataSource, schema);
    const ran = await dataSource.runMigrations({ transaction: 'each' });
    const applied = sql ? await applySqlFiles(lock, sql) : [];
    await grant(dataSource, schema);
    return [...ran.map((migration) => migration.name), ...applied];
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await lock.release();
    await dataSource.destroy();
  }
}

async function prepareSchema(dataSource: DataSource, schema: string): Promise<void> {
  await createRole(dataSource, schemaRole(schema));
  await dataSource.query(CLOCK_SQL);
  await dataSource.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await dataSource.query(sqlFileTable(schema));
}

async function createRole(dataSource: DataSource, role: string): Promise<void> {
  // The lock above is per database, roles are per cluster: losing the race to create one is a success.
  await dataSource.query(`DO $$ BEGIN
    CREATE ROLE "${role}" NOLOGIN;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
  await dataSource.query(`DO $$ BEGIN
    IF NOT pg_has_role(CURRENT_USER, '${role}', 'MEMBER') THEN GRANT "${role}" TO CURRENT_USER; END IF;
  END $$`);
}

async function grant(dataSource: DataSource, schema: string): Promise<void> {
  const role = schemaRole(schema);
  await dataSource.query(`GRANT USAGE ON SCHEMA "${schema}" TO "${role}"`);
  await dataSource.query(
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${role}"`,
  );
  await dataSource.query(`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA "${schema}" TO "${role}"`);
  await dataSource.query(`REVOKE ALL ON "${schema}".migration FROM "${role}"`);
  await dataSource.query(`REVOKE ALL ON "${schema}".sql_file FROM "${role}"`);
}
