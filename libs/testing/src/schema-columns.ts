import type { TestDatabase } from '@svc/test-servers';
import type { DataSource } from 'typeorm';

const SHORT: Record<string, string> = { bigint: 'int8', smallint: 'int2', integer: 'int4', boolean: 'bool' };

/** Lists the columns of the tables that have entities, `table.column type null`: as the database has them, and as the entities do. */
export async function schemaColumns(
  database: TestDatabase,
  { entityMetadatas }: DataSource,
  schema: string,
): Promise<{ inDatabase: string[]; declared: string[] }> {
  const rows = await database.query<{ name: string }>(
    `SELECT table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable AS name
     FROM information_schema.columns WHERE table_schema = $1 AND table_name = ANY ($2)`,
    [schema, entityMetadatas.map(({ tableName }) => tableName)],
  );
  const declared = entityMetadatas.flatMap(({ tableName, columns }) =>
    columns.map(({ databaseName, type, isArray, isNullable }) => {
      const short = `${isArray ? '_' : ''}${SHORT[String(type)] ?? String(type)}`;
      return `${tableName}.${databaseName} ${short} ${isNullable ? 'YES' : 'NO'}`;
    }),
  );
  return { inDatabase: rows.map(({ name }) => name).sort(), declared: declared.sort() };
}
