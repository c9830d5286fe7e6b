import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Messaging } from '@svc/messaging';
import { log, PeriodicTask } from '@svc/service';
import { DataSource } from 'typeorm';
import { EventOutbox } from './event-outbox.entity.js';

const SWEEP_MS = 500;

/** Publishes what transactions left in the outbox: right after commit, and by a sweep where that failed. */
@Injectable()
export class OutboxService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly sweep = new PeriodicTask('event outbox', SWEEP_MS, () => this.publishPending());

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly messaging: Messaging,
  ) {}

  onApplicationBootstrap(): void {
    this.sweep.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.sweep.stop();
  }

  /** Without waiting: the answer to whoever caused the event does not depend on NATS. */
  publishSoon(): void {
    this.publishPending().catch((error: unknown) =>
      log().warn({ err: error }, 'an event stays in the outbox until the next sweep'),
    );
  }

  private async publishPending(): Promise<void> {
    while (await this.publishOldest());
  }

  private async publishOldest(): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const row = await tx
        .createQueryBuilder(EventOutbox, 'event')
        .orderBy('event.createdAt')
        .limit(1)
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getOne();
      if (!row) return false;
      await this.messaging.publishEvent(row.envelope);
      await tx.delete(EventOutbox, { id: row.id });
      return true;
    });
  }
}
