import { Injectable } from '@nestjs/common';
import { isOfContent, togetherOrAlone } from '@svc/database';
import { type Fence, PartitionOwner } from '@svc/ownership';
import { log, PeriodicTasks, refusalWords } from '@svc/service';
import { countDropped } from '../dropped.js';
import { DeliveryRepository, HOLD_BATCH } from '../lanes/delivery.repository.js';
import { EXPIRY_BATCH, HeldRepository } from './held.repository.js';

const SWEEP_MS = 5_000;
/** Most deliveries of an endpoint that one sweep moves one by one: the other endpoints are not to wait. */
const ONE_BY_ONE = 100;

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
      if (epoch === undefined) break;
      gone = await this.expireBatch({ partition, epoch }, endpointId);
    }
    if (total > 0)
      log().info({ endpointId, deliveries: total }, 'held for too long, or too many: dead letters');
  }

  /** Moves a batch to the dead letters; where one of it is refused, fewer, and the rest comes in its turn. @returns how many have ended. */
  private async expireBatch(fence: Fence, endpointId: string): Promise<number> {
    try {
      return (await this.held.expire(fence, endpointId)).length;
    } catch (error) {
      if (!isOfContent(error)) throw error;
    }
    let gone = 0;
    while (gone < ONE_BY_ONE && (await this.expireOne(fence, endpointId))) gone += 1;
    return gone;
  }

  /** Moves the next one to the dead letters, or ends it without where that is refused. @returns false where nothing is left to move. */
  private async expireOne(fence: Fence, endpointId: string): Promise<boolean> {
    try {
      return (await this.held.expire(fence, endpointId, 1)).length > 0;
    } catch (error) {
      if (!isOfContent(error)) throw error;
      const deliveryId = await this.held.drop(fence, endpointId);
      if (deliveryId === undefined) return false;
      countDropped('held');
      const fields = { deliveryId, endpointId, err: error, words: refusalWords(error) };
      log().error(fields, 'a dead letter is refused: a delivery that was held ends without one');
      return true;
    }
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
