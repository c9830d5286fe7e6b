import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PartitionOwner } from '@svc/ownership';
import { log, PeriodicTask } from '@svc/service';
import { DeliveryRepository, HOLD_BATCH } from '../lanes/delivery.repository.js';
import { EXPIRY_BATCH, HeldRepository } from './held.repository.js';

const SWEEP_MS = 5_000;

interface Lane {
  partition: number;
  endpointId: string;
}

/** The sweeper holds all that waits for endpoints that are not active, and keeps it within bounds: the oldest beyond them become dead letters. */
@Injectable()
export class HoldSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task = new PeriodicTask('hold sweeper', SWEEP_MS, () => this.sweep());
  private stopped = false;

  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly held: HeldRepository,
    private readonly owner: PartitionOwner,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.task.stop();
  }

  async sweep(): Promise<void> {
    const partitions = this.owner.held;
    if (partitions.length === 0) return;
    for (const lane of await this.deliveries.lanesToHold(partitions)) await this.hold(lane);
    for (const lane of await this.held.lanesOverLimit(partitions)) await this.expire(lane);
  }

  private async hold({ partition, endpointId }: Lane): Promise<void> {
    for (let held = HOLD_BATCH; held >= HOLD_BATCH && !this.stopped;) {
      const epoch = this.owner.epochOf(partition);
      if (epoch === undefined) return;
      ({ held } = await this.deliveries.holdDue({ partition, epoch }, endpointId));
    }
  }

  private async expire({ partition, endpointId }: Lane): Promise<void> {
    let total = 0;
    for (let gone = EXPIRY_BATCH; gone >= EXPIRY_BATCH && !this.stopped; total += gone) {
      const epoch = this.owner.epochOf(partition);
      gone = epoch === undefined ? 0 : await this.held.expire({ partition, epoch }, endpointId);
    }
    if (total > 0)
      log().info({ endpointId, deliveries: total }, 'held for too long, or too many: dead letters');
  }
}
