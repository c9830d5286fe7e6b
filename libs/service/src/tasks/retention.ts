import type { DataSource } from 'typeorm';
import { log } from '../logging/logger.js';
import { PeriodicTask } from './periodic-task.js';

const INTERVAL_MS = 60 * 60 * 1000;
const BATCH = 5_000;

/**
 * Deletes once an hour what nobody asks for any more.
 * @param old by table, the condition of its old rows; `now` and `today` in it are domain time and its day in UTC.
 */
export class RetentionService {
  private readonly task = new PeriodicTask('retention', INTERVAL_MS, () => this.deleteOld());

  constructor(
    private readonly dataSource: DataSource,
    private readonly old: Record<string, string>,
  ) {}

  /** Called by Nest. */
  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Called by Nest. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** In batches: none holds up anybody for long. */
  async deleteOld(): Promise<void> {
    for (const [table, isOld] of Object.entries(this.old)) {
      // One table that cannot be cleaned leaves the others alone.
      const rows = await this.deleteFrom(table, isOld).catch((error: unknown) => {
        log().warn({ table, err: error }, 'old rows stay for now');
        return 0;
      });
      if (rows > 0) log().info({ table, rows }, 'old rows deleted');
    }
  }

  private async deleteFrom(table: string, isOld: string): Promise<number> {
    let rows = 0;
    for (let deleted = BATCH; deleted === BATCH; rows += deleted) {
      [, deleted] = await this.dataSource.query<[unknown[], number]>(
        `WITH clock AS (SELECT now, (now AT TIME ZONE 'UTC')::date AS today FROM svc_now() AS now)
         DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT ${table}.ctid FROM ${table} CROSS JOIN clock WHERE ${isOld} LIMIT ${BATCH}))`,
      );
    }
    return rows;
  }
}
