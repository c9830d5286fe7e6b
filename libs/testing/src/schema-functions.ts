import { readFile } from 'node:fs/promises';
import type { TestDatabase } from '@svc/test-servers';
import type { TestSchema } from './test-database.js';

/** Functions of a schema whose body, as the database has it, is in no file of their name. */
export async function functionsWithoutFile(
  database: TestDatabase,
  { schema, sql }: TestSchema,
): Promise<string[]> {
  const functions = await database.query<{ name: string; body: string }>(
    `SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace = $1::regnamespace ORDER BY proname, pronargs`,
    [schema],
  );
  const missing: string[] = [];
  for (const { name, body } of functions) {
    const text = sql ? await readFile(new URL(`${name}.sql`, sql), 'utf8').catch(() => '') : '';
    if (!text.includes(body)) missing.push(name);
  }
  return missing;
}
