import type { DataSource } from 'typeorm';
import { log } from '../logging/logger.js';
import type { PeriodicTasks } from '../tasks/periodic-tasks.js';

const EVERY_MS = 5_000;
/** Time until the tables are read again after all was sealed with the current key: another replica may still have the key before. */
const REST_MS = 60 * 60 * 1000;
/** Most rows of one look. */
const BATCH = 500;

type Row = Record<string, unknown>;
type Change = { row: Row; values: Row };

/** Table with sealed values. */
export interface SealedTable {
  table: string;
  /** Columns of its primary key. */
  key: readonly string[];
  /** Columns with sealed values, each with its type. */
  sealed: Readonly<Record<string, 'bytea' | 'jsonb'>>;
  /** Further columns that `sealAnew` reads. */
  columns?: readonly string[];
  /** Condition of the rows that may have values of another key; those of the current key are best left out by it. */
  where: string;
  /**
   * Seals the values of a row anew.
   * @returns all sealed columns, as parameters of a statement; undefined where the current key sealed all.
   * @throws Error where one does not open.
   */
  sealAnew(row: Row): Row | undefined;
}

/**
 * Seals anew what other keys have sealed, so that a key can be taken out of the configuration. It goes through the tables at the start of
 * the process and then each hour; a row that changes meanwhile waits for the next time.
 */
export class SealedTables {
  private restsUntil = 0;

  constructor(
    private readonly dataSource: DataSource,
    tasks: PeriodicTasks,
    private readonly tables: SealedTable[],
  ) {
    tasks.add('sealed tables', EVERY_MS, (stopping) => this.sealAnew(stopping));
  }

  private async sealAnew(stopping: AbortSignal): Promise<void> {
    if (Date.now() < this.restsUntil) return;
    let found = 0;
    for (const table of this.tables) found += await this.sealTable(table, stopping);
    if (found === 0) this.restsUntil = Date.now() + REST_MS;
  }

  /** @returns how many rows were sealed with another key. */
  private async sealTable(sealed: SealedTable, stopping: AbortSignal): Promise<number> {
    const { table } = sealed;
    let [found, written, unreadable] = [0, 0, 0];
    let last: Row | undefined;
    do {
      const rows = await this.read(sealed, last);
      const changes: Change[] = [];
      for (const row of rows) {
        try {
          const values = sealed.sealAnew(row);
          if (values) changes.push({ row, values });
        } catch {
          unreadable += 1;
        }
      }
      found += changes.length;
      written += await this.write(sealed, changes);
      last = rows.length === BATCH ? rows.at(-1) : undefined;
    } while (last && !stopping.aborted);
    if (written > 0) log().info({ table, rows: written }, 'secrets are sealed with the current key');
    if (unreadable > 0)
      log().error({ table, rows: unreadable }, 'secrets open with no key that is configured');
    return found;
  }

  private read({ table, key, sealed, columns = [], where }: SealedTable, last?: Row): Promise<Row[]> {
    const names = key.join(', ');
    const values = key.map((_, index) => `$${index + 1}`).join(', ');
    return this.dataSource.query<Row[]>(
      `SELECT ${[...key, ...Object.keys(sealed), ...columns].join(', ')}, ctid::text AS row_place, xmin::text AS row_version
       FROM ${table} WHERE (${where}) ${last ? `AND (${names}) > (${values})` : ''} ORDER BY ${names} LIMIT ${BATCH}`,
      last && key.map((name) => last[name]),
    );
  }

  /** Writes the rows that nobody has changed since, or changes at this moment: it waits for no lock, so that nobody waits in a circle. */
  private async write({ table, sealed }: SealedTable, changes: Change[]): Promise<number> {
    if (changes.length === 0) return 0;
    const types = Object.entries(sealed);
    const arrays = types.map(([, type], index) => `$${index + 3}::${type}[]`).join(', ');
    const columns = types.map(([column]) => column);
    const [, written] = await this.dataSource.query<[unknown[], number]>(
      `WITH own AS (
         SELECT * FROM unnest($1::text[]::tid[], $2::text[]::xid[], ${arrays}) AS own (place, version, ${columns.join(', ')})),
       free AS (
         SELECT t.ctid AS place FROM ${table} t JOIN own ON t.ctid = own.place AND t.xmin = own.version
         FOR UPDATE OF t SKIP LOCKED)
       UPDATE ${table} t SET ${columns.map((column) => `${column} = own.${column}`).join(', ')}
       FROM own JOIN free USING (place) WHERE t.ctid = own.place`,
      [
        changes.map(({ row }) => row['row_place']),
        changes.map(({ row }) => row['row_version']),
        ...columns.map((column) => changes.map(({ values }) => values[column])),
      ],
    );
    return written;
  }
}
