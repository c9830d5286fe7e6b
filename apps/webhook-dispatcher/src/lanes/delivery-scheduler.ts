import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import { PartitionOwner } from '@svc/ownership';
import type { Receiver } from '../endpoints/endpoint-directory.js';
import type { Lane, LaneKey, ReceiverResponse } from './lane.js';
import { Lanes } from './lanes.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Most deliveries that stay leased though they have ended: the oldest of more is sent once again. */
const MOST_KEPT = 10_000;

/**
 * The scheduler holds the deliveries in memory, and decides which is next. Deliveries beyond a lane's room stay in the database until
 * `DueLoader` finds room for them, so memory follows concurrency and not the backlog.
 */
@Injectable()
export class DeliveryScheduler {
  /**
   * `work`: a delivery may be ready to go out; `DeliveryDispatcher` listens. `refill`: a lane has room for what is in the database
   * alone; `DueLoader` listens.
   */
  readonly events = new EventEmitter<{ work: []; refill: [Lane] }>();
  /** Deliveries that the database has as leased and this process sends, from before the commit to the result. */
  private readonly leased = new Map<string, QueuedDelivery>();
  /** Deliveries that stay leased though their attempt is over, and their partitions. */
  private readonly kept = new Map<string, number>();

  constructor(
    private readonly lanes: Lanes,
    private readonly owner: PartitionOwner,
  ) {}

  /**
   * Decides where a delivery that is about to be committed will wait. Behind deliveries that are only in the database
   * it must wait there too, otherwise it would overtake them; in strict order the database knows whose turn it is.
   */
  plan(item: QueuedDelivery): 'leased' | 'scheduled' {
    const lane = this.lanes.lane(item);
    if (item.strict || lane.backlog || lane.returns > 0 || this.lanes.room(lane).firsts === 0) {
      lane.backlogVersion += 1;
      return 'scheduled';
    }
    lane.reserved += 1;
    item.laneVersion = lane.version;
    // An event that comes again finds its delivery leased: that one has to stay so, or it would be taken up a second time.
    if (!this.leased.has(item.id)) this.leased.set(item.id, item);
    return 'leased';
  }

  /**
   * Puts a planned delivery where it was to wait, after the commit.
   * @param made whether it came into being.
   */
  commitPlan(item: QueuedDelivery, state: 'leased' | 'scheduled', made: boolean): void {
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

  /** Notes that more of an endpoint is due than memory holds: later deliveries queue up behind them in the database. */
  leaveToDatabase(owner: LaneKey): void {
    if (!this.isMine(owner)) return;
    const lane = this.lanes.lane(owner);
    lane.backlogVersion += 1;
    lane.backlog = true;
    lane.retriesDue ||= lane.standing === 'suspect';
    if (this.lanes.needsRefill(lane)) this.events.emit('refill', lane);
  }

  /** Takes the next delivery; undefined when none may start now. */
  next(): QueuedDelivery | undefined {
    const item = this.lanes.next();
    const lane = item && this.lanes.find(item.endpointId);
    if (lane && this.lanes.needsRefill(lane)) this.events.emit('refill', lane);
    return item;
  }

  /**
   * Compares the lane with the endpoint as it is now, before a delivery gets its place and before it goes out. After a reactivation that is
   * new here, older deliveries than those in memory may be due.
   */
  checkGeneration(
    owner: LaneKey,
    { generation, recovering }: Pick<Receiver, 'generation' | 'recovering'>,
  ): void {
    if (!this.isMine(owner)) return;
    const lane = this.lanes.lane(owner);
    const before = lane.generation;
    lane.generation = Math.max(generation, before ?? 0);
    if (before === undefined ? !recovering : generation <= before) return;
    lane.version += 1;
    this.leaveToDatabase(owner);
  }

  /** Says whether a delivery has to queue up again in the database before it may go out. */
  isOutdated({ endpointId, laneVersion }: QueuedDelivery): boolean {
    return this.lanes.find(endpointId)?.version !== laneVersion;
  }

  /**
   * Takes a delivery and everything else of its endpoint that waits in memory back into the database.
   * @param write resolves to whether they are due there.
   */
  async returnToDatabase(
    item: QueuedDelivery,
    write: (items: QueuedDelivery[]) => Promise<boolean>,
  ): Promise<void> {
    await this.drainToDatabase(this.lanes.lane(item), (others) => write([item, ...others]));
  }

  /**
   * Takes what waits in memory for an endpoint back into the database.
   * @param write resolves to whether they are due there.
   */
  async drainToDatabase(lane: Lane, write: (items: QueuedDelivery[]) => Promise<boolean>): Promise<void> {
    const others = this.lanes.drain(lane.endpointId);
    lane.version += 1;
    lane.returns += 1;
    let due = false;
    try {
      due = await write(others);
    } finally {
      lane.returns -= 1;
      this.forget(others);
      if (due) this.leaveToDatabase(lane);
      else if (this.lanes.needsRefill(lane)) this.events.emit('refill', lane);
      this.lanes.dropIfIdle(lane);
    }
  }

  /** Adds deliveries that were claimed from the database. */
  addClaimed(items: QueuedDelivery[]): void {
    for (const item of items) {
      if (!this.isMine(item)) {
        this.forget([item]);
        continue;
      }
      this.leased.set(item.id, item);
      this.lanes.push(item);
    }
  }

  /** Ends an attempt whose result is not written yet: the next one of the conversation may start. */
  endAttempt(item: QueuedDelivery, response?: ReceiverResponse): void {
    this.lanes.endAttempt(item, response);
    const lane = this.lanes.find(item.endpointId);
    if (lane && this.lanes.needsRefill(lane)) this.events.emit('refill', lane);
  }

  /** Frees the slot of a delivery whose result is written, or that another owner sends now. */
  freeSlot(item: QueuedDelivery): void {
    this.lanes.freeSlot();
    this.forget([item]);
  }

  /** Drops deliveries that this process sends no more; the reconciliation makes those due again that are still leased. */
  forget(items: QueuedDelivery[]): void {
    // The same id may be here a second time after a lost and regained lease: that one is not ours to drop.
    for (const item of items) if (this.leased.get(item.id) === item) this.leased.delete(item.id);
  }

  /** Leaves a delivery that cannot be ended as it is: due again, it would be sent again and again. */
  keepLeased({ id, partition }: QueuedDelivery): void {
    const [oldest] = this.kept.keys();
    if (oldest !== undefined && this.kept.size >= MOST_KEPT) this.kept.delete(oldest);
    this.kept.set(id, partition);
  }

  /** Says whether this process sends a delivery, or keeps it from being sent. */
  isLeased(id: string): boolean {
    return this.leased.has(id) || this.kept.has(id);
  }

  /** Forgets a partition. What was waiting stays in the database, as leased, for the next owner. */
  drop(partition: number): void {
    this.forget(this.lanes.drainPartition(partition));
    for (const [id, of] of this.kept) if (of === partition) this.kept.delete(id);
  }

  private isMine({ partition, epoch }: LaneKey): boolean {
    return this.owner.epochOf(partition) === epoch;
  }
}
