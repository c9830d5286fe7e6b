import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { FindMessages } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { log, PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';

const INTERVAL_MS = 2_000;
const BATCH = 500;
/**
 * The age of a reservation that is asked about: far beyond `WRITE_WITHIN_MS` and the longest statement of the gateway: what is not written by
 * then never will be, so a unit cannot be given back while its message is being written.
 */
const UNCONFIRMED_AGE = '2 minutes';

const UNCONFIRMED_SQL = `SELECT job_id AS "jobId" FROM reservation
  WHERE state = 'held' AND NOT confirmed AND at <= now() - interval '${UNCONFIRMED_AGE}'
  ORDER BY at LIMIT ${BATCH}`;

/**
 * This sweeper gives back the units of messages that were never written: the gateway crashed between the question and its insert, or
 * could not insert. A reservation that has a message is not asked about again; its fate comes as an event.
 */
@Injectable()
export class ReservationSweeper {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly rpc: RpcClient,
    tasks: PeriodicTasks,
  ) {
    tasks.add('reservation sweeper', INTERVAL_MS, () => this.sweep());
  }

  /** Asks about all that is due, batch by batch. Replicas may sweep at once: to confirm twice, or to give back twice, is to do it once. */
  async sweep(): Promise<void> {
    for (;;) {
      const rows = await this.dataSource.query<{ jobId: string }[]>(UNCONFIRMED_SQL);
      if (rows.length === 0) return;
      const jobIds = rows.map(({ jobId }) => jobId);
      const written = new Set((await this.rpc.request(FindMessages, { jobIds })).jobIds);
      await this.dataSource.query(`UPDATE reservation SET confirmed = true WHERE job_id = ANY($1)`, [
        [...written],
      ]);
      const givenBack = await this.giveBack(jobIds.filter((jobId) => !written.has(jobId)));
      log().info({ written: written.size, givenBack }, 'reservations swept');
      if (rows.length < BATCH) return;
    }
  }

  /** Gives back each unit on its own: the counters of many sessions are never locked together. */
  private async giveBack(jobIds: string[]): Promise<number> {
    let count = 0;
    for (const jobId of jobIds) {
      const [row] = await this.dataSource.query<{ done: boolean }[]>(
        `SELECT give_back($1, true, true, interval '${UNCONFIRMED_AGE}') AS done`,
        [jobId],
      );
      if (row?.done) count += 1;
    }
    return count;
  }
}
