import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { QueryRunner } from 'typeorm';

/** Folders of an app's SQL files, from its root: with its sources, or beside what was built of them, where only that is shipped. */
const FOLDERS = ['src/sql/', 'dist/sql/'];

/** Names the table of the digests of the files that a schema was given last. */
export function sqlFileTable(schema: string): string {
  return `CREATE TABLE IF NOT EXISTS "${schema}".sql_file (
    name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`;
}

/** A file that goes and comes back with the same text is a new one: a migration may have dropped its function meanwhile. */
const FORGET_SQL = 'DELETE FROM sql_file WHERE name <> ALL ($1::text[])';

const APPLIED_SQL = `INSERT INTO sql_file (name, digest) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = excluded.applied_at`;

interface SqlFile {
  name: string;
  text: string;
  digest: string;
}

/**
 * Finds the folder of an app's SQL files. The module that asks is two folders below the app's root, as `src/migrations/schema.ts`, what is
 * built of it, and the bundle are.
 * @param moduleUrl `import.meta.url` of that module.
 * @throws Error where the app has no such folder.
 */
export function sqlFolder(moduleUrl: string): URL {
  const root = new URL('../../', moduleUrl);
  const folder = FOLDERS.map((path) => new URL(path, root)).find((url) => existsSync(url));
  if (!folder)
    throw new Error(`There are no SQL files at ${FOLDERS.join(' or ')} of ${fileURLToPath(root)}.`);
  return folder;
}

/**
 * Applies the SQL files that have changed since they were applied last, in the order of their names and in one transaction: where one
 * is wrong, all stay as they were.
 * @param runner whose search path begins with the schema of the files.
 * @returns the names of the files that were applied.
 */
export async function applySqlFiles(runner: QueryRunner, folder: URL): Promise<string[]> {
  const files = await readFiles(folder);
  await runner.startTransaction();
  try {
    await runner.query(FORGET_SQL, [files.map(({ name }) => name)]);
    const rows = (await runner.query('SELECT name, digest FROM sql_file')) as SqlFile[];
    const digests = new Map(rows.map(({ name, digest }) => [name, digest]));
    const changed = files.filter(({ name, digest }) => digests.get(name) !== digest);
    for (const file of changed) await apply(runner, file);
    await runner.commitTransaction();
    return changed.map(({ name }) => name);
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

async function apply(runner: QueryRunner, { name, text, digest }: SqlFile): Promise<void> {
  try {
    await runner.query(text);
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  await runner.query(APPLIED_SQL, [name, digest]);
}

async function readFiles(folder: URL): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      return { name, text, digest: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
