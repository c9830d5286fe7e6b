import type { QueuedDelivery } from './queued-delivery.js';

/** Standings in order of their rank: first the receivers that answer, last those that may be dead. */
export const STANDINGS = ['proven', 'unproven', 'suspect'] as const;
/** Standing of a receiver, one of `STANDINGS`. */
export type Standing = (typeof STANDINGS)[number];

/** The response of a receiver to an attempt: `silent` stands for time-outs, refusals and all else without an answer. */
export type ReceiverResponse = 'ok' | 'error' | 'silent';

const PROVEN_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A reputation says how the receiver of an endpoint has answered lately. Times are in ms of the process's monotonic clock. */
export class Reputation {
  /** Number of attempts that have been under way for so long that the receiver may be away. */
  slowAttempts = 0;
  private okAt = -Infinity;
  private silentAt = -Infinity;
  /** Counts attempts without an answer, one after the other: those that were under way at the same time count once. */
  private silences = 0;

  standing(now: number): Standing {
    if (this.slowAttempts > 0 || this.silences > 0) return 'suspect';
    return now - this.okAt < PROVEN_MS ? 'proven' : 'unproven';
  }

  /** Says when a first attempt may be made. Retries have their schedule. */
  get probeAt(): number {
    if (this.silences === 0) return -Infinity;
    return this.silentAt + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.silences - 1));
  }

  update(response: ReceiverResponse, startedAt: number, now: number): void {
    if (response === 'ok') this.okAt = now;
    if (response !== 'silent') this.silences = 0;
    else if (startedAt >= this.silentAt) {
      this.silences += 1;
      this.silentAt = now;
    }
  }
}

const SUB_LANES = 8;
/** Most tenants without a lane in the ring that are remembered: most have one again very soon. */
const MAX_IDLE = 1_000;

interface QueueEntry {
  item: QueuedDelivery;
  order: number;
}

/** The endpoint of a lane, and the lease under which it is ours. */
export type LaneKey = Pick<QueuedDelivery, 'endpointId' | 'tenantId' | 'partition' | 'epoch'>;

/** A lane queues the deliveries of one endpoint that wait in memory: first attempts by conversation, and retries, which have stepped aside. */
export class Lane {
  /** First attempts, or retries that are due, are in the database alone: new ones must queue up there behind them. */
  backlog = false;
  retriesDue = false;
  /** The loader has it in its queue. */
  refillQueued = false;
  /** The ring of its standing holds it. */
  inRing = false;
  /** Grows whenever deliveries are left to the database, so that a load that began before cannot clear `backlog`. */
  backlogVersion = 0;
  /**
   * Grows when older deliveries may be in the database than those in memory, after a pause above all: what is in memory
   * from an earlier version has to queue up behind them.
   */
  version = 0;
  /** The generation of the endpoint that was seen last; undefined: none yet. */
  generation: number | undefined;
  /** Writes that take deliveries back into the database: until they are done nothing behind them is loaded. */
  returns = 0;
  /** Places reserved for deliveries that are being committed. */
  reserved = 0;
  running = 0;
  readonly retries: QueuedDelivery[] = [];
  /** Counts first attempts that wait. */
  firsts = 0;
  /** Counts the bytes of payload that wait. */
  bytes = 0;
  private readonly queues: QueueEntry[][] = Array.from({ length: SUB_LANES }, () => []);
  private readonly busy: (QueuedDelivery | undefined)[] = [];
  /** Counts the first attempts that came so far. */
  private entries = 0;

  readonly endpointId: string;
  readonly tenantId: string;
  readonly partition: number;
  readonly epoch: number;

  constructor(
    { endpointId, tenantId, partition, epoch }: LaneKey,
    readonly reputation: Reputation,
    /** Standing as it was last updated: counts by standing go by this. */
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
      this.waiting + this.running + this.reserved + this.returns === 0 && !this.backlog && !this.retriesDue
    );
  }

  push(item: QueuedDelivery): void {
    if (item.attempt > 1) {
      this.retries.push(item);
      return;
    }
    this.queues[subLaneOf(item)]?.push({ item, order: (this.entries += 1) });
    this.firsts += 1;
  }

  /** Says whether an attempt could start: a retry, or a first attempt whose conversation has none under way. */
  isRunnable(now: number): boolean {
    return this.retries.length > 0 || (this.mayProbe(now) && this.freeSubLane() !== undefined);
  }

  /** Takes the next delivery: retries first, they are older; then in the order in which they came, as far as their conversations are free. */
  shift(now: number): QueuedDelivery | undefined {
    const item = this.retries.shift() ?? (this.mayProbe(now) ? this.shiftFirst() : undefined);
    if (item) this.running += 1;
    return item;
  }

  /** Frees the conversation of an attempt that has ended. */
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

  /**
   * Finds the sub-lane whose first delivery waits longest, of those without an attempt under way. It is asked several times a delivery:
   * plain loops.
   */
  private freeSubLane(): number | undefined {
    let free: number | undefined;
    let first = Infinity;
    for (let subLane = 0; subLane < SUB_LANES; subLane += 1) {
      const order = this.queues[subLane]?.[0]?.order ?? Infinity;
      if (order >= first || this.busy[subLane]) continue;
      free = subLane;
      first = order;
    }
    return free;
  }
}

interface Turn {
  readonly tenantId: string;
  /** Lanes in the order of their turns. */
  readonly lanes: Lane[];
}

/** The ring holds lanes that could start an attempt: tenants take turns, and the lanes of each, so that many endpoints are not many turns. */
export class Ring {
  private readonly turns: Turn[] = [];
  private readonly tenants = new Map<string, Turn>();

  /** Adds a lane. Without effect where it is in the ring. */
  add(lane: Lane): void {
    if (lane.inRing) return;
    lane.inRing = true;
    const turn = this.turnOf(lane.tenantId);
    if (turn.lanes.length === 0) this.turns.push(turn);
    turn.lanes.push(lane);
  }

  delete(lane: Lane): void {
    if (!lane.inRing) return;
    lane.inRing = false;
    const turn = this.turnOf(lane.tenantId);
    turn.lanes.splice(turn.lanes.indexOf(lane), 1);
    if (turn.lanes.length === 0) this.turns.splice(this.turns.indexOf(turn), 1);
  }

  /** Takes out the lane whose turn it is. */
  take(): Lane | undefined {
    const turn = this.turns.shift();
    const lane = turn?.lanes.shift();
    if (!turn || !lane) return undefined;
    lane.inRing = false;
    if (turn.lanes.length > 0) this.turns.push(turn);
    return lane;
  }

  private turnOf(tenantId: string): Turn {
    const existing = this.tenants.get(tenantId);
    if (existing) return existing;
    if (this.tenants.size >= 2 * this.turns.length + MAX_IDLE) this.forgetIdle();
    const turn = { tenantId, lanes: [] };
    this.tenants.set(tenantId, turn);
    return turn;
  }

  private forgetIdle(): void {
    for (const { tenantId, lanes } of this.tenants.values())
      if (lanes.length === 0) this.tenants.delete(tenantId);
  }
}

function subLaneOf({ conversation }: QueuedDelivery): number {
  return (conversation >>> 0) % SUB_LANES;
}
