import type { TestDatabase } from '@svc/test-servers';

const ANY_ID = 'gen_random_uuid()';

/** SQL expressions for a row of a certain age. */
export interface Age {
  at: string;
  /** Day of the row in UTC. */
  day: string;
  /** A new id. */
  id: string;
}

/** Retention of a table in days, and a function that makes a row. */
export interface AgedRow {
  days: number;
  /** Columns of the row, as SQL expressions. */
  columns: (age: Age) => Record<string, string>;
}

/**
 * Makes a row a day younger than a table keeps its rows, and one a day older, and looks each time what is left of the table's rows. One
 * row is left twice where the table's rule is right. The table is empty before and after that.
 * @param rows by table; a rule whose table is not among them is a rule without a test.
 */
export async function agedRowsLeft(
  { query }: TestDatabase,
  { schema, table, rows }: { schema: string; table: string; rows: Record<string, AgedRow> },
  deleteOld: () => Promise<void>,
): Promise<[young: number, both: number]> {
  const row = rows[table];
  if (!row) throw new Error(`There is no row of ${table} to test its rule with.`);
  const name = `${schema}.${table}`;
  await query(`TRUNCATE ${name} CASCADE`);
  const leftAfter = async (days: number): Promise<number> => {
    const at = `(clock_timestamp() - interval '${days} days')`;
    const columns = row.columns({ at, day: `(${at} AT TIME ZONE 'UTC')::date`, id: ANY_ID });
    await query(
      `INSERT INTO ${name} (${Object.keys(columns).join()}) VALUES (${Object.values(columns).join()})`,
    );
    await deleteOld();
    return (await query(`SELECT FROM ${name}`)).length;
  };
  const left: [number, number] = [await leftAfter(row.days - 1), await leftAfter(row.days + 1)];
  await query(`TRUNCATE ${name} CASCADE`);
  return left;
}
