import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Stack } from '../../src/stack/stack.js';
import pg from 'pg';

/** Holds what is looked for in every place. */
export interface Needles {
  /** Texts, found anywhere in a value. */
  texts: string[];
  /** Numbers, found in columns of whole numbers. */
  numbers: Set<string>;
}

interface Column {
  schema: string;
  table: string;
  column: string;
  type: string;
}

/** All columns that there are: a table of a later release is walked the day it is made. */
const COLUMNS_SQL = `SELECT n.nspname AS schema, c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm', 'p') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  ORDER BY 1, 2, a.attnum`;
const WHOLE_NUMBERS = ['smallint', 'integer', 'bigint'];

/** Folders and files of the data folder that are not ours: the cluster, whose tables are walked, and the platform. */
const NOT_OURS = ['postgres', 'simulator.ndjson', 'simulator-ca.pem', 'logs/simulator.log'];

/** Says whether one of the texts is in a value. */
export function holds(value: string, { texts }: Needles): boolean {
  return texts.some((text) => value.includes(text));
}

/** Lists the columns of every table of every schema that hold one of these, as `schema.table.column`. */
export async function columnsWith(database: pg.Client, needles: Needles): Promise<string[]> {
  const { rows } = await database.query<Column>(COLUMNS_SQL);
  const found: string[] = [];
  for (const one of rows) {
    const { schema, table, column, type } = one;
    const sql = `SELECT DISTINCT ${textOf(type, `"${column}"`)} AS value FROM "${schema}"."${table}" WHERE "${column}" IS NOT NULL`;
    const { rows: values } = await database.query<{ value: string }>(sql);
    const isNumber = WHOLE_NUMBERS.includes(type);
    const has = values.some(({ value }) => (isNumber && needles.numbers.has(value)) || holds(value, needles));
    if (has) found.push(`${schema}.${table}.${column}`);
  }
  return found;
}

/** Writes a value as text: bytes as digits, and as the text that they may be. */
function textOf(type: string, column: string): string {
  return type === 'bytea'
    ? `encode(${column}, 'hex') || ' ' || encode(${column}, 'escape')`
    : `${column}::text`;
}

/** Lists the files of the stack that hold one of these: media, logs, and the store of NATS. */
export function filesWith({ dataDir }: Stack, needles: Needles): string[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)))
    .filter((file) => !NOT_OURS.some((name) => file === name || file.startsWith(`${name}/`)))
    .filter((file) => holds(contentOf(join(dataDir, file)), needles))
    .sort();
}

/** Reads a file of a stack that runs; one that is gone meanwhile holds nothing. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
