import type { QueuedDelivery } from './queued-delivery.js';

const SUB_LANES = 8;

/** Bounds of what is kept in memory: it follows what goes on at once, however much waits in the database. */
export interface LaneLimits {
  /** Attempts under way, or ended and not yet recorded, in the whole process. */
  inFlight: number;
  /** Deliveries waiting per lane. */
  perLane: number;
  /** Deliveries waiting in all lanes; past it, a lane may still have `minimum`. */
  total: number;
  /** Bytes of payload waiting in all lanes. */
  bytes: number;
  minimum: number;
}

/** What production uses. */
export const LANE_LIMITS: LaneLimits = {
  inFlight: 4096,
  perLane: 32,
  total: 4096,
  bytes: 64 * 1024 * 1024,
  minimum: 2,
};

/** What a lane is made for. */
export type LaneOwner = Pick<QueuedDelivery, 'endpointId' | 'tenantId' | 'partition' | 'epoch'>;

/** Deliveries of one endpoint that wait in memory. */
export class Lane {
  readonly queues: QueuedDelivery[][] = Array.from({ length: SUB_LANES }, () => []);
  readonly busy: boolean[] = Array.from({ length: SUB_LANES }, () => false);
  /** More deliveries of this endpoint are due, but only in the database: new ones must queue up there behind them. */
  backlog = false;
  /** Grows whenever deliveries are left to the database, so that a load that began before cannot clear `backlog`. */
  spills = 0;
  /**
   * Grows when older deliveries may be in the database than those in memory, after a pause above all: what is in memory
   * from an earlier era has to queue up behind them.
   */
  era = 0;
  /** Of the endpoint, the last one seen; undefined: none yet. */
  generation: number | undefined;
  /** Deliveries are on their way back into the database: until they are there nothing behind them is loaded. */
  returning = 0;
  /** Places promised to deliveries that are being committed. */
  reserved = 0;
  waiting = 0;
  running = 0;
  private turn = 0;

  constructor(
    readonly endpointId: string,
    readonly tenantId: string,
    readonly partition: number,
    readonly epoch: number,
  ) {}

  push(item: QueuedDelivery): void {
    this.queues[(item.conversation >>> 0) % SUB_LANES]?.push(item);
    this.waiting += 1;
  }

  get runnable(): boolean {
    return this.queues.some((queue, index) => queue.length > 0 && !this.busy[index]);
  }

  /** The next delivery whose conversation has none under way; sub-lanes take turns. */
  shift(): QueuedDelivery | undefined {
    for (let step = 0; step < SUB_LANES; step += 1) {
      const index = (this.turn + step) % SUB_LANES;
      const item = this.busy[index] ? undefined : this.queues[index]?.shift();
      if (!item) continue;
      this.busy[index] = true;
      this.turn = index + 1;
      this.waiting -= 1;
      this.running += 1;
      return item;
    }
    return undefined;
  }

  release(item: QueuedDelivery): void {
    this.busy[(item.conversation >>> 0) % SUB_LANES] = false;
    this.running -= 1;
  }

  /** Takes out all that waits. */
  drain(): QueuedDelivery[] {
    const items = this.queues.flatMap((queue) => queue.splice(0));
    this.waiting = 0;
    return items;
  }

  get idle(): boolean {
    return this.waiting + this.running + this.reserved + this.returning === 0 && !this.backlog;
  }
}

/**
 * Who goes next: a lane per endpoint, lanes take turns, first attempts of one conversation go one after the other. One
 * sub-lane has one attempt under way, so a receiver that hangs holds at most eight of the process's attempts.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly ready = new Set<Lane>();
  private waiting = 0;
  private bytes = 0;
  private unrecorded = 0;

  constructor(private readonly limits: LaneLimits = LANE_LIMITS) {}

  /** The lane of an endpoint, made if there is none. What is left of one from an earlier lease is nobody's any more. */
  lane({ endpointId, tenantId, partition, epoch }: LaneOwner): Lane {
    let lane = this.lanes.get(endpointId);
    if (!lane || lane.epoch < epoch)
      this.lanes.set(endpointId, (lane = new Lane(endpointId, tenantId, partition, epoch)));
    return lane;
  }

  find(endpointId: string): Lane | undefined {
    return this.lanes.get(endpointId);
  }

  /** How many more deliveries this lane may take into memory. */
  room(lane: Lane): number {
    const full = this.waiting >= this.limits.total || this.bytes >= this.limits.bytes;
    const bound = full ? this.limits.minimum : this.limits.perLane;
    return Math.max(0, bound - lane.waiting - lane.reserved);
  }

  push(item: QueuedDelivery): void {
    const lane = this.lane(item);
    lane.push(item);
    this.waiting += 1;
    this.bytes += item.payload.length;
    if (lane.runnable) this.ready.add(lane);
  }

  /** The delivery whose turn it is, or undefined when none may start now. */
  next(): QueuedDelivery | undefined {
    if (this.unrecorded >= this.limits.inFlight) return undefined;
    for (const lane of this.ready) {
      this.ready.delete(lane);
      const item = lane.shift();
      if (!item) continue;
      if (lane.runnable) this.ready.add(lane);
      this.unrecorded += 1;
      this.forget([item]);
      return item;
    }
    return undefined;
  }

  /** The POST has ended: the next one of its conversation may start. */
  released(item: QueuedDelivery): void {
    const lane = this.lanes.get(item.endpointId);
    // The partition was lost, and perhaps taken again, while it was under way: that lane knows nothing of it.
    if (lane?.epoch !== item.epoch) return;
    lane.release(item);
    if (lane.runnable) this.ready.add(lane);
    else this.dropIfIdle(lane);
  }

  /** The result is in the database, or somebody else's business: its slot is free. */
  recorded(): void {
    this.unrecorded -= 1;
  }

  /** Takes everything of an endpoint that waits. */
  drain(endpointId: string): QueuedDelivery[] {
    const lane = this.lanes.get(endpointId);
    if (!lane) return [];
    const items = lane.drain();
    this.ready.delete(lane);
    this.forget(items);
    this.dropIfIdle(lane);
    return items;
  }

  /** Forgets what waits for a partition that is no longer ours. */
  drainPartition(partition: number): QueuedDelivery[] {
    return this.all((lane) => lane.partition === partition).flatMap((lane) => {
      const items = this.drain(lane.endpointId);
      this.lanes.delete(lane.endpointId);
      return items;
    });
  }

  /** Whether there is more to load from the database for this lane, and enough room to be worth it. */
  isHungry(lane: Lane): boolean {
    return (
      lane.backlog && lane.returning === 0 && lane.waiting <= this.limits.perLane / 4 && this.room(lane) > 0
    );
  }

  /** Up to `limit` lanes that are hungry. */
  hungry(limit: number): Lane[] {
    return this.all((lane) => this.isHungry(lane)).slice(0, limit);
  }

  dropIfIdle(lane: Lane): void {
    if (lane.idle && this.lanes.get(lane.endpointId) === lane) this.lanes.delete(lane.endpointId);
  }

  get inFlight(): number {
    return this.unrecorded;
  }

  private all(wanted: (lane: Lane) => boolean): Lane[] {
    return [...this.lanes.values()].filter(wanted);
  }

  private forget(items: QueuedDelivery[]): void {
    this.waiting -= items.length;
    for (const item of items) this.bytes -= item.payload.length;
  }
}
