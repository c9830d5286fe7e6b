import type { QueuedDelivery } from './queued-delivery.js';
import type { Reputation, Standing } from './standing.js';

const SUB_LANES = 8;

interface Placed {
  item: QueuedDelivery;
  place: number;
}

/** What a lane is made for. */
export type LaneOwner = Pick<QueuedDelivery, 'endpointId' | 'tenantId' | 'partition' | 'epoch'>;

/** Deliveries of one endpoint that wait in memory: first attempts by conversation, and retries, which have stepped aside. */
export class Lane {
  /** More first attempts, or retries that are due, are only in the database: new ones must queue up there behind them. */
  backlog = false;
  retriesDue = false;
  /** It waits to be loaded for. */
  called = false;
  /** It is in the ring of its standing. */
  inLine = false;
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
  running = 0;
  readonly retries: QueuedDelivery[] = [];
  /** First attempts that wait. */
  firsts = 0;
  /** Bytes of payload that wait. */
  bytes = 0;
  private readonly queues: Placed[][] = Array.from({ length: SUB_LANES }, () => []);
  private readonly busy: (QueuedDelivery | undefined)[] = [];
  /** First attempts that came so far. */
  private places = 0;

  readonly endpointId: string;
  readonly tenantId: string;
  readonly partition: number;
  readonly epoch: number;

  constructor(
    { endpointId, tenantId, partition, epoch }: LaneOwner,
    readonly reputation: Reputation,
    /** As last looked at: what is counted by standing goes by this. */
    public standing: Standing,
  ) {
    this.endpointId = endpointId;
    this.tenantId = tenantId;
    this.partition = partition;
    this.epoch = epoch;
  }

  get waiting(): number {
    return this.firsts + this.retries.length;
  }

  get idle(): boolean {
    return (
      this.waiting + this.running + this.reserved + this.returning === 0 && !this.backlog && !this.retriesDue
    );
  }

  push(item: QueuedDelivery): void {
    if (item.attempt > 1) {
      this.retries.push(item);
      return;
    }
    this.queues[subLaneOf(item)]?.push({ item, place: (this.places += 1) });
    this.firsts += 1;
  }

  /** Whether one could start: a retry, or a first attempt whose conversation has none under way. */
  isRunnable(now: number): boolean {
    return this.retries.length > 0 || (this.mayProbe(now) && this.freeSubLane() !== undefined);
  }

  /** The next one: retries first, they are older; then in the order in which they came, as far as their conversations are free. */
  shift(now: number): QueuedDelivery | undefined {
    const item = this.retries.shift() ?? (this.mayProbe(now) ? this.shiftFirst() : undefined);
    if (item) this.running += 1;
    return item;
  }

  /** The attempt has ended. */
  release(item: QueuedDelivery): void {
    const subLane = subLaneOf(item);
    if (this.busy[subLane] === item) this.busy[subLane] = undefined;
    this.running -= 1;
  }

  /** Takes out all that waits. */
  drain(): QueuedDelivery[] {
    this.firsts = 0;
    return [
      ...this.retries.splice(0),
      ...this.queues.flatMap((queue) => queue.splice(0).map(({ item }) => item)),
    ];
  }

  mayProbe(now: number): boolean {
    return this.standing !== 'suspect' || now >= this.reputation.probeAt;
  }

  private shiftFirst(): QueuedDelivery | undefined {
    const subLane = this.freeSubLane();
    if (subLane === undefined) return undefined;
    const item = this.queues[subLane]?.shift()?.item;
    this.busy[subLane] = item;
    this.firsts -= 1;
    return item;
  }

  /** The one whose first waits longest, of those that have nothing under way. Asked several times a delivery: plain loops. */
  private freeSubLane(): number | undefined {
    let free: number | undefined;
    let first = Infinity;
    for (let subLane = 0; subLane < SUB_LANES; subLane += 1) {
      const place = this.queues[subLane]?.[0]?.place ?? Infinity;
      if (place >= first || this.busy[subLane]) continue;
      free = subLane;
      first = place;
    }
    return free;
  }
}

function subLaneOf({ conversation }: QueuedDelivery): number {
  return (conversation >>> 0) % SUB_LANES;
}
