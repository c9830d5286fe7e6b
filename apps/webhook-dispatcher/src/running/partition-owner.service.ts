import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  ServiceUnavailableException,
} from '@nestjs/common';
import { JetStreamStrategy } from '@svc/messaging';
import { log, OutboxService } from '@svc/service';
import { EndpointDirectory } from '../endpoints/endpoint-directory.js';
import { DeliveryDispatcher } from '../attempts/delivery-dispatcher.js';
import { DueLoader } from '../lanes/due-loader.js';
import { OwnedPartitions } from '../ownership/owned-partitions.js';
import { PartitionLeaseLoop } from '../ownership/partition-lease-loop.js';

/** Longest wait for attempts under way when the process stops or gives a partition back: they end by their own deadline. */
const DRAIN_MS = 12_000;

/** The owner runs this process's share of the tenant partitions: takes them over, gives them back, stops when they are lost. */
@Injectable()
export class PartitionOwner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private drained = false;

  constructor(
    private readonly leases: PartitionLeaseLoop,
    private readonly stream: JetStreamStrategy,
    private readonly loader: DueLoader,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly owned: OwnedPartitions,
    private readonly outbox: OutboxService,
    private readonly directory: EndpointDirectory,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.loader.start();
    await this.leases.start({
      onAcquired: (partition, epoch) => this.takeOver(partition, epoch),
      onRelease: (partition) => this.giveBack(partition),
      onLost: (partition) => this.lost(partition),
    });
    log().info({ partitions: this.leases.held }, 'partitions taken');
  }

  /** Stops before the transports and the database are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.dispatcher.stop();
    await this.stream.close();
    await this.drain();
    this.drained = true;
    await this.loader.stop();
    await this.leases.stop();
    await this.outbox.stop();
  }

  assertReady(): void {
    if (!this.leases.healthy) throw new ServiceUnavailableException('the lease loop does not run');
  }

  private async takeOver(partition: number, epoch: number): Promise<void> {
    // Read afresh: changes while it was somebody else's were not announced to this process.
    this.directory.forgetPartition(partition);
    await this.loader.takeOver(partition, epoch);
    this.stream.startPartition(partition);
  }

  private async giveBack(partition: number): Promise<void> {
    await this.stream.stopPartition(partition);
    // Before the look at what is under way: a load that ends now must not start anything the next owner would repeat.
    this.owned.leave(partition);
    this.loader.drop(partition);
    await this.drain(partition);
  }

  /** Waits for the attempts under way, for a bounded time: results cannot be written while the database is away, and nobody waits for that. */
  private async drain(partition?: number): Promise<void> {
    if (this.drained) return;
    const limit = new AbortController();
    const late = delay(DRAIN_MS, undefined, { ref: false, signal: limit.signal }).catch(() => undefined);
    await Promise.race([this.dispatcher.waitUntilIdle(partition), late]);
    limit.abort();
  }

  private lost(partition: number): void {
    log().warn({ partition }, 'partition lost');
    void this.stream.stopPartition(partition);
    this.loader.drop(partition);
  }
}
