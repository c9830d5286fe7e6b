import { Injectable } from '@nestjs/common';
import { PartitionOwner } from '@svc/ownership';
import { PeriodicTasks } from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { RunnersService } from './runners.service.js';
import { isOverdue } from '../sending/ledger/outbound.js';
import { PartitionsService } from './partitions.service.js';

const SWEEP_MS = 2_000;

/** Finds, among the sessions of this worker's partitions, changes that no message reports. */
@Injectable()
export class SessionSweeper {
  constructor(
    private readonly config: WorkerConfig,
    private readonly dataSource: DataSource,
    private readonly runners: RunnersService,
    private readonly owner: PartitionOwner,
    private readonly partitions: PartitionsService,
    tasks: PeriodicTasks,
  ) {
    tasks.add('session sweeper', SWEEP_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    const partitions = this.owner.held;
    await this.carryOutWishes(partitions);
    await this.expire(partitions);
  }

  /** Carries out wishes that were written while NATS was away, and starts sessions whose runner could not start or gave up. */
  private async carryOutWishes(partitions: number[]): Promise<void> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM session WHERE partition = ANY($1::int[]) AND (applied_version < wanted_version
         OR wanted = 'CONNECTED' AND status NOT IN ('DISCONNECTED', 'LOGGED_OUT') AND id <> ALL($2::uuid[]))`,
      [partitions, this.runners.running()],
    );
    for (const { id } of rows) this.partitions.reconcile(id);
  }

  /** Ends messages that waited too long for their session. */
  private async expire(partitions: number[]): Promise<void> {
    const rows = await this.dataSource.query<{ session_id: string; partition: number; jobs: string[] }[]>(
      `SELECT o.session_id, s.partition, array_agg(o.job_id) AS jobs
       FROM outbound_message o JOIN session s ON s.id = o.session_id
       WHERE o.status IN ('QUEUED', 'SENDING') AND s.partition = ANY($1::int[])
         AND ${isOverdue('o', '$2')}
       GROUP BY o.session_id, s.partition`,
      [partitions, this.config.sendExpiryMs],
    );
    for (const { session_id, partition, jobs } of rows) {
      const fence = this.owner.fenceOf(partition);
      if (fence) await this.runners.expire({ sessionId: session_id, fence }, jobs);
    }
  }
}
