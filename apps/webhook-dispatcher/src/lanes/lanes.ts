import { Lane, type LaneOwner } from './lane.js';
import { Pace } from '@svc/service';
import type { QueuedDelivery } from './queued-delivery.js';
import { Ring } from './ring.js';
import { type Answered, Reputation, type Standing, STANDINGS } from './standing.js';

/** Bounds of what is kept in memory: it follows what goes on at once, however much waits in the database. */
export interface LaneLimits {
  /** Attempts under way, or ended and not yet recorded, in the whole process. */
  inFlight: number;
  /** Attempts that have ended and are not yet recorded, while which none starts: a process that dies now repeats them. */
  unwritten: number;
  /** Attempts at suspects that start, of the whole process: they fail together, and would all be tried again together. */
  suspectsPerSecond: number;
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
  unwritten: 384,
  suspectsPerSecond: 100,
  perLane: 256,
  total: 4096,
  bytes: 64 * 1024 * 1024,
  minimum: 2,
};

/** Parts of all attempts at once that lanes of a standing may have together. */
const SHARES: Record<Standing, number> = { proven: 1, unproven: 0.5, suspect: 0.25 };
/** Attempts at once of one lane, where there are few lanes. */
const MOST_AT_ONCE: Record<Standing, number> = { proven: 8, unproven: 2, suspect: 1 };
/** Part of all attempts at once that is dealt out to lanes: with many of them each may have fewer. */
const DEALT_OUT = 0.75;
const SLOW_MS = 1_000;
/** Attempts at suspects that may start at once after a pause, in ms of their pace. */
const SUSPECT_BURST_MS = 250;
/** A suspect keeps no more than its next ones in memory, and all of them no more than this part. */
const SUSPECT_ROOM = 2;
const SUSPECT_SHARE = 0.25;
const MOST_REPUTATIONS = 50_000;

interface Running {
  lane: Lane;
  startedAt: number;
  slow: boolean;
}

/**
 * Who goes next: a lane per endpoint, tenants and lanes take turns. First attempts of one conversation go one after the
 * other. How many attempts a lane may have at once follows from how its receiver has answered, so that neither one receiver
 * that is dead nor a thousand of them take from those who answer what these need.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly reputations = new Map<string, Reputation>();
  private readonly rings = byStanding(() => new Ring());
  private readonly running = new Map<QueuedDelivery, Running>();
  private readonly counts = byStanding(() => ({ running: 0, waiting: 0, bytes: 0 }));
  private readonly suspects: Pace;
  private unrecorded = 0;

  constructor(
    private readonly limits: LaneLimits = LANE_LIMITS,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.suspects = new Pace(limits.suspectsPerSecond, SUSPECT_BURST_MS);
  }

  /** The lane of an endpoint, made if there is none. What is left of one from an earlier lease is nobody's any more. */
  lane(owner: LaneOwner): Lane {
    const { endpointId, epoch } = owner;
    const known = this.lanes.get(endpointId);
    if (known && known.epoch >= epoch) return known;
    if (known) this.drain(endpointId);
    const reputation = this.reputationOf(endpointId);
    const standing = reputation.standing(this.now());
    const lane = new Lane(owner, reputation, standing);
    this.lanes.set(endpointId, lane);
    return lane;
  }

  find(endpointId: string): Lane | undefined {
    return this.lanes.get(endpointId);
  }

  /** How many more first attempts this lane may take into memory, and how many retries. */
  room(lane: Lane): { firsts: number; retries: number } {
    const { perLane, minimum } = this.limits;
    const isFull = this.isFull(lane.standing);
    if (lane.standing === 'suspect') {
      const bound = isFull ? 1 : SUSPECT_ROOM;
      const firsts = lane.mayProbe(this.now()) ? bound - lane.firsts - lane.reserved : 0;
      return { firsts: Math.max(0, firsts), retries: Math.max(0, bound - lane.retries.length) };
    }
    const room = Math.max(0, (isFull ? minimum : perLane) - lane.waiting - lane.reserved);
    return { firsts: room, retries: room };
  }

  push(item: QueuedDelivery): void {
    const lane = this.lane(item);
    lane.push(item);
    this.count(lane, 1, item.payload.length);
    this.offer(lane, this.now());
  }

  /** The delivery whose turn it is, or undefined when none may start now. */
  next(): QueuedDelivery | undefined {
    const now = this.now();
    for (const standing of STANDINGS) {
      while (this.mayStart(standing, now)) {
        const lane = this.rings[standing].take();
        if (!lane) break;
        this.look(lane, now);
        const item = lane.standing === standing ? lane.shift(now) : undefined;
        if (item) this.start(item, lane, now);
        this.offer(lane, now);
        if (item) return item;
      }
    }
    return undefined;
  }

  /** The POST has ended: the next one of its conversation may start. `answered` is undefined where none was made. */
  released(item: QueuedDelivery, answered: Answered | undefined): void {
    const running = this.running.get(item);
    if (!running) return;
    const { lane, startedAt, slow } = running;
    const now = this.now();
    this.running.delete(item);
    this.counts[lane.standing].running -= 1;
    lane.release(item);
    if (slow) lane.reputation.slow -= 1;
    if (answered) lane.reputation.learn(answered, startedAt, now);
    this.look(lane, now);
    // The partition was lost, and perhaps taken again, while it was under way: that lane is another one.
    if (this.lanes.get(item.endpointId) !== lane) return;
    this.offer(lane, now);
    this.dropIfIdle(lane);
  }

  /** The result is in the database, or somebody else's business: its slot is free. */
  recorded(): void {
    this.unrecorded -= 1;
  }

  /**
   * Looks at what has been under way for long, and at suspects whose pause is over.
   * @returns suspects that keep more in memory than they may.
   */
  review(): Lane[] {
    const now = this.now();
    for (const running of this.running.values()) {
      if (now - running.startedAt < SLOW_MS) break; // in order of their start
      if (running.slow) continue;
      running.slow = true;
      running.lane.reputation.slow += 1;
    }
    const lanes = [...this.lanes.values()];
    for (const lane of lanes) {
      this.look(lane, now);
      this.offer(lane, now);
    }
    return lanes.filter(({ standing, firsts }) => standing === 'suspect' && firsts > SUSPECT_ROOM);
  }

  /** Takes everything of an endpoint that waits. */
  drain(endpointId: string): QueuedDelivery[] {
    const lane = this.lanes.get(endpointId);
    if (!lane) return [];
    const items = lane.drain();
    this.rings[lane.standing].delete(lane);
    this.count(lane, -items.length, -lane.bytes);
    this.dropIfIdle(lane);
    return items;
  }

  /** Forgets what waits for a partition that is no longer ours. */
  drainPartition(partition: number): QueuedDelivery[] {
    const lanes = [...this.lanes.values()].filter((lane) => lane.partition === partition);
    return lanes.flatMap(({ endpointId }) => {
      const items = this.drain(endpointId);
      this.lanes.delete(endpointId);
      return items;
    });
  }

  /** Whether there is more to load from the database for this lane, and enough room to be worth it. */
  isHungry(lane: Lane): boolean {
    if (lane.returning > 0 || !(lane.backlog || lane.retriesDue)) return false;
    const { firsts, retries } = this.room(lane);
    if (lane.standing === 'suspect') {
      return (lane.backlog && lane.firsts === 0 && firsts > 0) || (lane.retriesDue && retries > 0);
    }
    return lane.waiting <= this.limits.perLane / 4 && firsts > 0;
  }

  /** All that are hungry; looks at each. */
  hungry(): Lane[] {
    return [...this.lanes.values()].filter((lane) => this.isHungry(lane));
  }

  dropIfIdle(lane: Lane): void {
    if (lane.idle && this.lanes.get(lane.endpointId) === lane) this.lanes.delete(lane.endpointId);
  }

  get inFlight(): number {
    return this.unrecorded;
  }

  private mayStart(standing: Standing, now: number): boolean {
    const { inFlight, unwritten } = this.limits;
    if (this.unrecorded >= inFlight || this.unrecorded - this.running.size >= unwritten) return false;
    if (this.counts[standing].running >= inFlight * SHARES[standing]) return false;
    return standing !== 'suspect' || this.suspects.waitMs(now) === 0;
  }

  private start(item: QueuedDelivery, lane: Lane, now: number): void {
    this.running.set(item, { lane, startedAt: now, slow: false });
    this.counts[lane.standing].running += 1;
    this.unrecorded += 1;
    if (lane.standing === 'suspect') this.suspects.take(now);
    this.count(lane, -1, -item.payload.length);
  }

  /** Puts a lane in line that may start one more. */
  private offer(lane: Lane, now: number): void {
    if (lane.running < this.mostOf(lane) && lane.isRunnable(now)) this.rings[lane.standing].add(lane);
  }

  private mostOf({ standing }: Lane): number {
    const dealt = Math.floor((this.limits.inFlight * DEALT_OUT) / Math.max(1, this.lanes.size));
    return Math.max(1, Math.min(MOST_AT_ONCE[standing], dealt));
  }

  /** Takes note of a standing that has changed. */
  private look(lane: Lane, now: number): void {
    const standing = lane.reputation.standing(now);
    if (standing === lane.standing) return;
    const [before, after] = [this.counts[lane.standing], this.counts[standing]];
    this.rings[lane.standing].delete(lane);
    const bytes = lane.bytes;
    before.running -= lane.running;
    before.waiting -= lane.waiting;
    before.bytes -= bytes;
    lane.standing = standing;
    after.running += lane.running;
    after.waiting += lane.waiting;
    after.bytes += bytes;
    // Its retries keep their time, however long its first attempts wait.
    if (standing === 'suspect') lane.retriesDue ||= lane.backlog;
  }

  private reputationOf(endpointId: string): Reputation {
    const known = this.reputations.get(endpointId) ?? new Reputation();
    this.reputations.delete(endpointId);
    this.reputations.set(endpointId, known);
    const [oldest] = this.reputations.keys();
    if (this.reputations.size > MOST_REPUTATIONS && oldest) this.reputations.delete(oldest);
    return known;
  }

  /** Suspects have memory of their own: what waits for them takes none from others. */
  private isFull(standing: Standing): boolean {
    const { total, bytes } = this.limits;
    const { proven, unproven, suspect } = this.counts;
    if (standing === 'suspect')
      return suspect.waiting >= total * SUSPECT_SHARE || suspect.bytes >= bytes * SUSPECT_SHARE;
    return proven.waiting + unproven.waiting >= total || proven.bytes + unproven.bytes >= bytes;
  }

  private count(lane: Lane, deliveries: number, bytes: number): void {
    const counts = this.counts[lane.standing];
    counts.waiting += deliveries;
    counts.bytes += bytes;
    lane.bytes += bytes;
  }
}

function byStanding<T>(make: () => T): Record<Standing, T> {
  return { proven: make(), unproven: make(), suspect: make() };
}
