import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { PARTITION_COUNT } from '@svc/contracts';
import { PartitionLeases } from '@svc/database';
import { Messaging } from '@svc/messaging';
import { LEASES, log } from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { arrivalOf } from './arrivals.js';
import type { Fence } from './fence.js';
import { PartitionWork } from './partition-work.js';

const HAND_OVER_LIMIT_MS = 60_000;
/** Notice that a partition is free, so that nobody waits for the next renewal to take it. */
const FREED = 'notice.session-worker.partition-freed';

/** Owns partitions, and starts and stops the work for them. */
@Injectable()
export class OwnershipService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly leases: PartitionLeases;
  /** Connected sessions of partitions that are being given back. */
  private readonly leaving = new Map<number, string[]>();

  constructor(
    private readonly config: WorkerConfig,
    @InjectDataSource(LEASES) private readonly leaseSource: DataSource,
    private readonly messaging: Messaging,
    private readonly work: PartitionWork,
  ) {
    this.leases = new PartitionLeases(leaseSource, {
      owner: config.workerName,
      partitions: PARTITION_COUNT,
      leaseMs: config.leaseMs,
      renewMs: config.leaseMs / 3,
      selfStopMs: (config.leaseMs * 2) / 3,
      onAcquired: (partition, epoch) => this.acquired(partition, epoch),
      onRelease: (partition) => this.release(partition),
      onReleased: (partition) => this.released(partition),
      onLost: (partition) => this.lost(partition),
      onError: (error) => log().error({ err: error }, 'lease loop'),
    });
    work.leaseLost.on(({ partition, epoch }) => this.leases.lost(partition, epoch));
  }

  async onApplicationBootstrap(): Promise<void> {
    this.messaging.onNotice(FREED, () => void this.leases.tick());
    await this.leases.start();
  }

  /** Hands over while database and NATS are still there: sockets close, leases are freed, the last events go out. */
  async beforeApplicationShutdown(): Promise<void> {
    // Without a database nothing can be handed over: the leases run out by themselves.
    await Promise.race([this.leases.stop(), delay(HAND_OVER_LIMIT_MS, undefined, { ref: false })]);
    await this.work.flush();
  }

  /** Partitions that are ours now. */
  get held(): number[] {
    return this.leases.held;
  }

  /** Under which lease a partition is ours, if it is. */
  fenceOf(partition: number): Fence | undefined {
    const epoch = this.leases.epochOf(partition);
    return epoch === undefined ? undefined : { partition, owner: this.config.workerName, epoch };
  }

  /** Readiness: throws when the lease loop has stopped working. */
  assertHealthy(): void {
    this.leases.assertFresh();
  }

  private async acquired(partition: number, epoch: number): Promise<void> {
    log().info({ partition, epoch }, 'partition acquired');
    await this.work.start({ partition, owner: this.config.workerName, epoch });
  }

  private async release(partition: number): Promise<void> {
    this.leaving.set(partition, await this.work.release(partition));
  }

  private async released(partition: number): Promise<void> {
    const sessionIds = this.leaving.get(partition) ?? [];
    this.leaving.delete(partition);
    await this.messaging.notify(FREED);
    await arrivalOf(sessionIds, this.leaseSource, this.config.workerName);
  }

  private lost(partition: number): void {
    log().warn({ partition }, 'partition lost');
    this.work.abandon(partition);
  }
}
