import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
  ServiceUnavailableException,
} from '@nestjs/common';
import { JetStreamStrategy } from '@svc/messaging';
import { log } from '@svc/service';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import { DeliveryScheduler } from './delivery-scheduler.js';
import { PartitionLeaseLoop } from './partition-lease-loop.js';

/** Longest wait for attempts under way when the process stops: they end by their own deadline. */
const DRAIN_MS = 12_000;

/** Runs this process's share of the tenant partitions: takes them over, gives them back, stops when they are lost. */
@Injectable()
export class PartitionOwner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly leases: PartitionLeaseLoop,
    private readonly stream: JetStreamStrategy,
    private readonly scheduler: DeliveryScheduler,
    private readonly dispatcher: DeliveryDispatcher,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.scheduler.start();
    await this.leases.start({
      onAcquired: (partition, epoch) => this.takeOver(partition, epoch),
      onRelease: (partition) => this.giveBack(partition),
      onLost: (partition) => this.lost(partition),
    });
    log().info({ partitions: this.leases.held }, 'partitions taken');
  }

  /** Before the transports and the database are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.dispatcher.stop();
    await this.stream.close();
    await Promise.race([this.dispatcher.settled(), delay(DRAIN_MS, undefined, { ref: false })]);
    await this.scheduler.stop();
    await this.leases.stop();
  }

  assertReady(): void {
    if (!this.leases.healthy) throw new ServiceUnavailableException('the lease loop does not run');
  }

  private async takeOver(partition: number, epoch: number): Promise<void> {
    await this.scheduler.takeOver(partition, epoch);
    this.stream.startPartition(partition);
  }

  private async giveBack(partition: number): Promise<void> {
    await this.stream.stopPartition(partition);
    this.scheduler.drop(partition);
    await this.dispatcher.settled(partition);
  }

  private lost(partition: number): void {
    log().warn({ partition }, 'partition lost');
    void this.stream.stopPartition(partition);
    this.scheduler.drop(partition);
  }
}
