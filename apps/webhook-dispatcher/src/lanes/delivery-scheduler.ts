import { Injectable } from '@nestjs/common';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import type { Lane, LaneOwner } from './lane.js';
import { Lanes } from './lanes.js';
import { OwnedPartitions } from '../ownership/owned-partitions.js';
import type { QueuedDelivery } from './queued-delivery.js';
import type { Answered } from './standing.js';

/**
 * What waits in memory, and whose turn it is. Deliveries beyond a lane's room stay in the database until `DueLoader`
 * finds room for them, so memory follows concurrency and not the backlog.
 */
@Injectable()
export class DeliveryScheduler {
  /** Called when something may be ready to go out. */
  onWork: () => void = () => undefined;
  /** Called when a lane has room for what is only in the database. */
  onHungry: (lane: Lane) => void = () => undefined;
  /** What the database calls leased and somebody here looks after, from before the commit to the result. */
  private readonly known = new Map<string, QueuedDelivery>();

  constructor(
    private readonly lanes: Lanes,
    private readonly owned: OwnedPartitions,
  ) {}

  /**
   * Decides where a delivery that is about to be committed will wait. Behind deliveries that are only in the database
   * it must wait there too, otherwise it would overtake them; in strict order the database knows whose turn it is.
   */
  plan(item: QueuedDelivery): 'leased' | 'scheduled' {
    const lane = this.lanes.lane(item);
    if (item.strict || lane.backlog || lane.returning > 0 || this.lanes.room(lane).firsts === 0) {
      lane.spills += 1;
      return 'scheduled';
    }
    lane.reserved += 1;
    item.era = lane.era;
    // An event that comes again finds its delivery looked after: that one has to stay known, or it would be taken up a second time.
    if (!this.known.has(item.id)) this.known.set(item.id, item);
    return 'leased';
  }

  /** What became of a plan; `made`: the delivery came into being. */
  settle(item: QueuedDelivery, state: 'leased' | 'scheduled', made: boolean): void {
    const lane = this.lanes.find(item.endpointId);
    const mine = this.isMine(item);
    if (state === 'scheduled') {
      if (made && mine) this.leaveToDatabase(item);
      else if (lane) this.lanes.dropIfIdle(lane);
      return;
    }
    if (lane?.epoch === item.epoch) lane.reserved -= 1;
    if (made && mine) return this.lanes.push(item);
    this.forget([item]);
    if (lane) this.lanes.dropIfIdle(lane);
  }

  /** More of this endpoint is due than memory knows of: what comes from now on queues up behind it in the database. */
  leaveToDatabase(owner: LaneOwner): void {
    if (!this.isMine(owner)) return;
    const lane = this.lanes.lane(owner);
    lane.spills += 1;
    lane.backlog = true;
    lane.retriesDue ||= lane.standing === 'suspect';
    if (this.lanes.isHungry(lane)) this.onHungry(lane);
  }

  /** The delivery whose turn it is, or undefined when none may start now. */
  next(): QueuedDelivery | undefined {
    const item = this.lanes.next();
    const lane = item && this.lanes.find(item.endpointId);
    if (lane && this.lanes.isHungry(lane)) this.onHungry(lane);
    return item;
  }

  /**
   * Looks at what the endpoint is now, before a delivery gets its place and before it goes out. A reactivation that is
   * news here means that older deliveries than those in memory may be due.
   */
  follow(owner: LaneOwner, { generation, recovering }: Pick<Receiver, 'generation' | 'recovering'>): void {
    if (!this.isMine(owner)) return;
    const lane = this.lanes.lane(owner);
    const known = lane.generation;
    lane.generation = Math.max(generation, known ?? 0);
    if (known === undefined ? !recovering : generation <= known) return;
    lane.era += 1;
    this.leaveToDatabase(owner);
  }

  /** Whether a delivery has to queue up again in the database before it may go out. */
  isOutdated({ endpointId, era }: QueuedDelivery): boolean {
    return this.lanes.find(endpointId)?.era !== era;
  }

  /**
   * Takes a delivery and everything else of its endpoint that waits in memory back into the database.
   * @param write resolves to whether they are due there.
   */
  async takeBack(item: QueuedDelivery, write: (items: QueuedDelivery[]) => Promise<boolean>): Promise<void> {
    await this.drainInto(this.lanes.lane(item), (others) => write([item, ...others]));
  }

  /**
   * Takes what waits in memory for an endpoint back into the database.
   * @param write resolves to whether they are due there.
   */
  async drainInto(lane: Lane, write: (items: QueuedDelivery[]) => Promise<boolean>): Promise<void> {
    const others = this.lanes.drain(lane.endpointId);
    lane.era += 1;
    lane.returning += 1;
    let due = false;
    try {
      due = await write(others);
    } finally {
      lane.returning -= 1;
      this.forget(others);
      if (due) this.leaveToDatabase(lane);
      else if (this.lanes.isHungry(lane)) this.onHungry(lane);
      this.lanes.dropIfIdle(lane);
    }
  }

  /** Puts deliveries in that were claimed from the database. */
  put(items: QueuedDelivery[]): void {
    for (const item of items) {
      if (!this.isMine(item)) {
        this.forget([item]);
        continue;
      }
      this.known.set(item.id, item);
      this.lanes.push(item);
    }
  }

  /** The POST has ended, its result is not written yet: the next one of the conversation may start. */
  released(item: QueuedDelivery, answered?: Answered): void {
    this.lanes.released(item, answered);
    const lane = this.lanes.find(item.endpointId);
    if (lane && this.lanes.isHungry(lane)) this.onHungry(lane);
  }

  /** The result is written (or is somebody else's business). */
  recorded(item: QueuedDelivery): void {
    this.lanes.recorded();
    this.forget([item]);
  }

  /** Nobody here looks after these any more; the reconciliation makes those due again that are still leased. */
  forget(items: QueuedDelivery[]): void {
    // After a lost and regained lease the same id may be here a second time: that one is not ours to forget.
    for (const item of items) if (this.known.get(item.id) === item) this.known.delete(item.id);
  }

  /** Whether somebody here looks after a delivery. */
  knows(id: string): boolean {
    return this.known.has(id);
  }

  /** Forgets a partition. What was waiting stays in the database, as leased, for the next owner. */
  drop(partition: number): void {
    this.forget(this.lanes.drainPartition(partition));
  }

  private isMine({ partition, epoch }: LaneOwner): boolean {
    return this.owned.epochOf(partition) === epoch;
  }
}
