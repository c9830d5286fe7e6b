import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { PARTITION_COUNT, WorkerPartitionFreed } from '@svc/contracts';
import { Messaging, partitionOf } from '@svc/messaging';
import { PartitionLeases } from '@svc/ownership';
import { LEASES, log } from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { RunnersService } from '../runners/runners.service.js';
import { arrivalOf } from './arrivals.js';
import type { Fence } from './fence.js';
import { PartitionDoors } from './partition-doors.js';

const HAND_OVER_LIMIT_MS = 60_000;

/** Which partitions this worker owns, and what follows: their sessions run here, their commands are pulled here. */
@Injectable()
export class OwnershipService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly leases: PartitionLeases;
  /** Connected sessions of partitions that are being given back. */
  private readonly leaving = new Map<number, string[]>();

  constructor(
    private readonly config: WorkerConfig,
    @InjectDataSource(LEASES) private readonly leaseSource: DataSource,
    private readonly runners: RunnersService,
    private readonly messaging: Messaging,
    private readonly doors: PartitionDoors,
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
    runners.onLeaseLost = ({ partition, epoch }) => this.leases.lost(partition, epoch);
  }

  async onApplicationBootstrap(): Promise<void> {
    this.messaging.onNotice(WorkerPartitionFreed, () => void this.leases.tick());
    await this.leases.start();
  }

  /** Hands over while database and NATS are still there: sockets close, leases are freed, the last events go out. */
  async beforeApplicationShutdown(): Promise<void> {
    // Without a database nothing can be handed over: the leases run out by themselves.
    await Promise.race([this.leases.stop(), delay(HAND_OVER_LIMIT_MS, undefined, { ref: false })]);
    await this.runners.stop();
  }

  /** Looks at the row of a session, if its partition is ours, and acts on it. */
  reconcile(sessionId: string): void {
    const fence = this.fenceOf(partitionOf(sessionId));
    if (fence) this.run(sessionId, fence); // else its owner sweeps for wishes
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
    const fence = { partition, owner: this.config.workerName, epoch };
    this.runners.hold(fence);
    this.doors.open(fence);
    for (const id of await this.runners.sessionsOf(partition)) this.run(id, fence);
  }

  private async release(partition: number): Promise<void> {
    await this.doors.close(partition);
    this.leaving.set(partition, await this.runners.release(partition));
  }

  private async released(partition: number): Promise<void> {
    const sessionIds = this.leaving.get(partition) ?? [];
    this.leaving.delete(partition);
    this.messaging.notify(WorkerPartitionFreed, {});
    await arrivalOf(sessionIds, this.leaseSource, this.config.workerName);
  }

  private lost(partition: number): void {
    log().warn({ partition }, 'partition lost');
    const closed = this.doors.close(partition);
    this.runners.kill(partition);
    void closed;
  }

  private run(sessionId: string, fence: Fence): void {
    this.runners
      .reconcile(sessionId, fence)
      .catch((error: unknown) => log().warn({ sessionId, err: error }, 'session is looked at again soon'));
  }
}
