import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { forgetErasures, log, PeriodicTask } from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';

const HOUR_MS = 3_600_000;
/** Few enough that nobody waits for their locks. */
const BATCH = 2_000;
const FILE_BATCH = 100;

const OLD = (table: string, age: string, rule: string): string =>
  `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table}
    WHERE ${age} < svc_now() - $1 * interval '1 day' AND ${rule} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;
const STATEMENTS = [
  OLD('inbound_message', 'received_at', 'true'),
  OLD('outbound_message', 'created_at', `status NOT IN ('QUEUED', 'SENDING')`),
];

/** Deletes what has been kept long enough: the texts of people are not ours to hoard. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: PeriodicTask;

  constructor(
    private readonly config: WorkerConfig,
    private readonly dataSource: DataSource,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
  ) {
    this.task = new PeriodicTask('retention', HOUR_MS, () => this.sweep());
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  /** Runs every hour in each worker; also on demand. */
  async sweep(): Promise<void> {
    await this.sweepFiles();
    await forgetErasures(this.dataSource);
    for (const statement of STATEMENTS) {
      let deleted: number;
      do {
        const [, count] = await this.dataSource.query<[unknown[], number]>(statement, [
          this.config.retentionDays,
        ]);
        deleted = count;
        if (deleted > 0) log().info({ rows: deleted }, 'old messages deleted');
      } while (deleted === BATCH);
    }
  }

  /** First the files, then the rows that say which there are: what a crash leaves behind is found again. */
  private async sweepFiles(): Promise<void> {
    for (;;) {
      const rows = await this.dataSource.query<{ id: string }[]>(
        `SELECT media_id AS id FROM inbound_media
         WHERE received_at < svc_now() - $1 * interval '1 day' LIMIT ${FILE_BATCH}`,
        [this.config.retentionDays],
      );
      const ids = rows.map(({ id }) => id);
      for (const id of ids) await this.store.delete(id);
      await this.dataSource.query('DELETE FROM inbound_media WHERE media_id = ANY($1::uuid[])', [ids]);
      if (ids.length > 0) log().info({ files: ids.length }, 'old files deleted');
      if (ids.length < FILE_BATCH) return;
    }
  }
}
