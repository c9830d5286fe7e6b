import { Injectable } from '@nestjs/common';
import { JetStreamStrategy, OwnerLine } from '@svc/messaging';
import { log, OutboxService } from '@svc/service';
import type { Fence } from '../ownership/fence.js';
import { PartitionWork } from '../ownership/partition-work.js';
import type { Signal } from '../signal.js';
import { OwnerAnswers } from './owner-answers.js';
import { RunnersService } from './runners.service.js';

/** Runs the sessions of the partitions that this worker owns, and takes the commands and the questions for them. */
@Injectable()
export class PartitionsService extends PartitionWork {
  constructor(
    private readonly runners: RunnersService,
    private readonly commands: JetStreamStrategy,
    private readonly line: OwnerLine,
    private readonly answers: OwnerAnswers,
    private readonly outbox: OutboxService,
  ) {
    super();
  }

  get leaseLost(): Signal<Fence> {
    return this.runners.leaseLost;
  }

  async start(fence: Fence): Promise<void> {
    const { partition } = fence;
    this.runners.allow(fence);
    this.commands.startPartition(partition);
    this.line.open(partition, (verb, question) => this.answers.answer(verb, question));
    for (const id of await this.runners.sessionsOf(partition)) this.reconcile(id);
  }

  async release(partition: number): Promise<string[]> {
    await this.close(partition);
    return this.runners.release(partition);
  }

  abandon(partition: number): void {
    const closed = this.close(partition);
    this.runners.kill(partition);
    void closed;
  }

  async flush(): Promise<void> {
    await this.outbox.stop();
  }

  /** Looks at the row of a session, if its partition is ours, and acts on it; else its owner sweeps for wishes. */
  reconcile(sessionId: string): void {
    this.runners
      .reconcile(sessionId)
      .catch((error: unknown) => log().warn({ sessionId, err: error }, 'session is looked at again soon'));
  }

  /** Resolves when the commands in hand are done with. */
  private async close(partition: number): Promise<void> {
    this.line.close(partition);
    await this.commands.stopPartition(partition);
  }
}
