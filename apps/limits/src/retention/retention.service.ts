import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { log, PeriodicTask } from '@svc/service';
import { DataSource } from 'typeorm';

const INTERVAL_MS = 60 * 60 * 1000;
const BATCH = 5_000;

/**
 * What is old, by table: a reservation once no repeat of its send can come and its month is over, health beyond the
 * window that numbers are judged by, counters after what a year's comparison needs. A unit that is held stays.
 */
const OLD: Record<string, string> = {
  reservation: `day < today - 35 AND state <> 'held'`,
  warmup_contact: `greatest(sent_at, replied_at) < now - interval '60 days'`,
  warmup_mishap: `at < now - interval '60 days'`,
  warmup_day: 'day < today - 400',
  quota: 'day < today - 400',
};

/** Deletes what nobody asks for any more. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task = new PeriodicTask('retention', INTERVAL_MS, () => this.deleteOld());

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** In batches: none holds up a send for long. */
  async deleteOld(): Promise<void> {
    for (const [table, isOld] of Object.entries(OLD)) {
      let rows = 0;
      for (let deleted = BATCH; deleted === BATCH; rows += deleted) {
        [, deleted] = await this.dataSource.query<[unknown[], number]>(
          `WITH clock AS (SELECT now, (now AT TIME ZONE 'UTC')::date AS today FROM svc_now() AS now)
           DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
             SELECT ${table}.ctid FROM ${table} CROSS JOIN clock WHERE ${isOld} LIMIT ${BATCH}))`,
        );
      }
      if (rows > 0) log().info({ table, rows }, 'old rows deleted');
    }
  }
}
