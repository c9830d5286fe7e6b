import { Injectable } from '@nestjs/common';
import { togetherOrAlone } from '@svc/database';
import { PartitionOwner } from '@svc/ownership';
import { log, PeriodicTasks, refusalWords } from '@svc/service';
import { DeliveryRepository, HOLD_BATCH } from '../lanes/delivery.repository.js';
import { EXPIRY_BATCH, HeldRepository } from './held.repository.js';

const SWEEP_MS = 5_000;

interface Lane {
  partition: number;
  endpointId: string;
}

/** The sweeper holds all that waits for endpoints that are not active, and keeps it within bounds: the oldest beyond them become dead letters. */
@Injectable()
export class HoldSweeper {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly held: HeldRepository,
    private readonly owner: PartitionOwner,
    tasks: PeriodicTasks,
  ) {
    tasks.add('hold sweeper', SWEEP_MS, (stopping) => this.sweep(stopping));
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const partitions = this.owner.held;
    if (partitions.length === 0) return;
    await each(await this.deliveries.lanesToHold(partitions), (lane) => this.hold(lane, stopping));
    await each(await this.held.lanesOverLimit(partitions), (lane) => this.expire(lane, stopping));
  }

  private async hold({ partition, endpointId }: Lane, stopping?: AbortSignal): Promise<void> {
    for (let held = HOLD_BATCH; held >= HOLD_BATCH && !stopping?.aborted;) {
      const epoch = this.owner.epochOf(partition);
      if (epoch === undefined) return;
      ({ held } = await this.deliveries.holdDue({ partition, epoch }, endpointId));
    }
  }

  private async expire({ partition, endpointId }: Lane, stopping?: AbortSignal): Promise<void> {
    let total = 0;
    for (let gone = EXPIRY_BATCH; gone >= EXPIRY_BATCH && !stopping?.aborted; total += gone) {
      const epoch = this.owner.epochOf(partition);
      gone = epoch === undefined ? 0 : await this.held.expire({ partition, epoch }, endpointId);
    }
    if (total > 0)
      log().info({ endpointId, deliveries: total }, 'held for too long, or too many: dead letters');
  }
}

/** Does the work for each lane; one that the database refuses for its content's sake ends the sweep for no other. */
async function each(lanes: Lane[], work: (lane: Lane) => Promise<void>): Promise<void> {
  for (const lane of lanes)
    await togetherOrAlone(
      [lane],
      ([one = lane]) => work(one),
      ({ endpointId }, error) =>
        log().error({ endpointId, err: error, words: refusalWords(error) }, 'an endpoint cannot be swept'),
    );
}
