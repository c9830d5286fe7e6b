import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { JetStreamStrategy } from '@svc/messaging';
import { type Fence, LEASES, type LossReason, PartitionOwner, type PartitionWork } from '@svc/ownership';
import { log } from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { arrivalOf } from '../sessions/arrivals.js';
import { OwnerAnswers } from './owner-answers.js';
import { RunnersService } from './runners.service.js';

/** Runs the sessions of the partitions that this worker owns, and takes the commands and the questions for them. */
@Injectable()
export class PartitionsService implements PartitionWork, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Sessions that were connected, by the partition that is given back. */
  private readonly leaving = new Map<number, string[]>();

  constructor(
    readonly consumer: JetStreamStrategy,
    private readonly owner: PartitionOwner,
    private readonly runners: RunnersService,
    private readonly answers: OwnerAnswers,
    private readonly config: WorkerConfig,
    @InjectDataSource(LEASES) private readonly leaseSource: DataSource,
  ) {
    runners.events.on('leaseLost', (fence) => owner.lost(fence));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.owner.start(this);
  }

  /** Hands over while database and NATS are still there: sockets close, leases are freed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.owner.stop();
  }

  answer(verb: string, question: unknown): Promise<object> {
    return this.answers.answer(verb, question);
  }

  async onTake({ partition }: Fence): Promise<void> {
    for (const id of await this.runners.sessionsOf(partition)) this.reconcile(id);
  }

  async onLose(partition: number, reason: LossReason): Promise<void> {
    if (reason === 'lost') this.runners.kill(partition);
    else this.leaving.set(partition, await this.runners.release(partition));
  }

  async onFreed(partition: number): Promise<void> {
    const sessionIds = this.leaving.get(partition) ?? [];
    this.leaving.delete(partition);
    await arrivalOf(sessionIds, this.leaseSource, this.config.workerName);
  }

  /** Looks at the row of a session, if its partition is ours, and acts on it; else its owner sweeps for wishes. */
  reconcile(sessionId: string): void {
    this.runners
      .reconcile(sessionId)
      .catch((error: unknown) => log().warn({ sessionId, err: error }, 'session is looked at again soon'));
  }
}
