import type { DataSource } from 'typeorm';
import { log } from '../logging/logger.js';
import type { PeriodicTasks } from '../tasks/periodic-tasks.js';

const EVERY_MS = 5_000;
/** Time until the tables are read again after all was sealed with the current key: another replica may still have the key before. */
const REST_MS = 60 * 60 * 1000;
/** Most rows of one look. */
const BATCH = 500;

type Row = Record<string, unknown>;
type Outcome = 'current' | 'sealed' | 'changed' | 'unreadable';

/** Table with sealed values. */
export interface SealedTable {
  table: string;
  /** Columns of its primary key. */
  key: readonly string[];
  /** Further columns that `sealAnew` reads. */
  columns: readonly string[];
  /** Condition of the rows that may have values of another key; those of the current key are best left out by it. */
  where: string;
  /**
   * Seals the values of a row anew.
   * @returns columns that change, as parameters of a statement; none where the current key sealed all.
   * @throws Error where one does not open.
   */
  sealAnew(row: Row): Row;
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

  /** @returns how many rows were sealed anew, or changed while they should have been. */
  private async sealTable(sealed: SealedTable, stopping: AbortSignal): Promise<number> {
    const counts: Record<Outcome, number> = { current: 0, sealed: 0, changed: 0, unreadable: 0 };
    let last: Row | undefined;
    do {
      const rows = await this.read(sealed, last);
      for (const row of rows) counts[await this.sealRow(sealed, row)] += 1;
      last = rows.length === BATCH ? rows.at(-1) : undefined;
    } while (last && !stopping.aborted);
    const { table } = sealed;
    if (counts.sealed > 0)
      log().info({ table, rows: counts.sealed }, 'secrets are sealed with the current key');
    if (counts.unreadable > 0)
      log().error({ table, rows: counts.unreadable }, 'secrets open with no key that is configured');
    return counts.sealed + counts.changed;
  }

  private read({ table, key, columns, where }: SealedTable, last?: Row): Promise<Row[]> {
    const names = key.join(', ');
    const values = key.map((_, index) => `$${index + 1}`).join(', ');
    return this.dataSource.query<Row[]>(
      `SELECT ${[...key, ...columns].join(', ')}, xmin::text AS row_version FROM ${table}
       WHERE (${where}) ${last ? `AND (${names}) > (${values})` : ''} ORDER BY ${names} LIMIT ${BATCH}`,
      last && key.map((name) => last[name]),
    );
  }

  private async sealRow({ table, key, sealAnew }: SealedTable, row: Row): Promise<Outcome> {
    let changes: [column: string, value: unknown][];
    try {
      changes = Object.entries(sealAnew(row));
    } catch {
      return 'unreadable';
    }
    if (changes.length === 0) return 'current';
    const parameter = (index: number): string => `$${index + 1}`;
    const set = changes.map(([column], index) => `${column} = ${parameter(index)}`).join(', ');
    const where = key.map((name, index) => `${name} = ${parameter(changes.length + index)}`).join(' AND ');
    // Whoever writes the row at the same time has the newer value. Row by row, because a transaction over many could wait for theirs.
    const [, updated] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE ${table} SET ${set} WHERE ${where} AND xmin = ${parameter(changes.length + key.length)}::text::xid`,
      [...changes.map(([, value]) => value), ...key.map((name) => row[name]), row['row_version']],
    );
    return updated > 0 ? 'sealed' : 'changed';
  }
}
