import { Injectable } from '@nestjs/common';
import { forgetErasures, log, PeriodicTasks } from '@svc/service';
import { DataSource, In } from 'typeorm';
import { ErasureRecord } from './erasure.entity.js';
import { ErasuresService } from './erasures.service.js';

const INTERVAL_MS = 500;
const FORGET_MS = 3_600_000;
/** Time after which another replica claims the erasure: two may take the steps at a time, they count what they find. */
const CLAIM = `interval '2 minutes'`;
const RETRY = `interval '5 seconds'`;

const CLAIM_SQL = `UPDATE erasure SET next_at = clock_timestamp() + ${CLAIM} WHERE id IN (
    SELECT id FROM erasure WHERE finished_at IS NULL AND next_at <= statement_timestamp()
    ORDER BY next_at LIMIT 4 FOR UPDATE SKIP LOCKED)
  RETURNING id`;
const RETRY_SQL = `UPDATE erasure SET next_at = clock_timestamp() + ${RETRY} WHERE id = $1`;

/** This runner carries out erasures, also those that a crash or a service that is away has interrupted. */
@Injectable()
export class ErasureRunner {
  constructor(
    private readonly dataSource: DataSource,
    private readonly erasures: ErasuresService,
    tasks: PeriodicTasks,
  ) {
    tasks.add('erasures', INTERVAL_MS, () => this.sweep());
    tasks.add('erased contacts', FORGET_MS, () => forgetErasures(this.dataSource));
  }

  private async sweep(): Promise<void> {
    // TypeORM answers UPDATE … RETURNING with [rows, count].
    const [claimed] = await this.dataSource.query<[{ id: string }[], number]>(CLAIM_SQL);
    if (claimed.length === 0) return;
    const due = await this.dataSource
      .getRepository(ErasureRecord)
      .findBy({ id: In(claimed.map(({ id }) => id)) });
    await Promise.all(due.map((record) => this.carryOut(record)));
  }

  private async carryOut(record: ErasureRecord): Promise<void> {
    try {
      await this.erasures.carryOut(record);
    } catch (error) {
      log().warn({ erasureId: record.id, err: error }, 'an erasure goes on later');
      await this.dataSource.query(RETRY_SQL, [record.id]);
    }
  }
}
