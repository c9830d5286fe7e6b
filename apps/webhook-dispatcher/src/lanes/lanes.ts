import { Pace } from '@svc/service';
import {
  Lane,
  type LaneKey,
  type ReceiverResponse,
  Reputation,
  Ring,
  type Standing,
  STANDINGS,
} from './lane.js';
import type { QueuedDelivery } from './queued-delivery.js';

/** Limits of the contents of memory: they follow the work under way, however much waits in the database. */
export interface LaneLimits {
  /** Most attempts of the whole process that are under way, or have ended and are not yet recorded. */
  inFlight: number;
  /** Most attempts that have ended and are not yet recorded; at this number none starts: a process that dies now repeats them. */
  unwritten: number;
  /** Most attempts at suspects that start per second, of the whole process: they fail together, and would all be tried again together. */
  suspectsPerSecond: number;
  /** Deliveries waiting per lane. */
  perLane: number;
  /** Deliveries waiting in all lanes; past it, a lane may still have `minimum`. */
  total: number;
  /** Most bytes of payload that wait in all lanes. */
  bytes: number;
  minimum: number;
  /** Most endpoints whose reputation is remembered without a lane; beyond it, the one used longest ago is unproven again. */
  reputations: number;
}

/** The limits of production. */
export const LANE_LIMITS: LaneLimits = {
  inFlight: 4096,
  unwritten: 384,
  suspectsPerSecond: 100,
  perLane: 256,
  total: 4096,
  bytes: 64 * 1024 * 1024,
  minimum: 2,
  reputations: 50_000,
};

/** Parts of all attempts under way that lanes of a standing may have together. */
const SHARES: Record<Standing, number> = { proven: 1, unproven: 0.5, suspect: 0.25 };
/** Most attempts under way of one lane, where there are few lanes. */
const MAX_ATTEMPTS: Record<Standing, number> = { proven: 8, unproven: 2, suspect: 1 };
/** Part of all attempts under way that lanes share out: with many of them each may have fewer. */
const ATTEMPTS_SHARE = 0.75;
const SLOW_MS = 1_000;
/** Attempts at suspects that may start together after a pause, in ms of their pace. */
const SUSPECT_BURST_MS = 250;
/** A suspect keeps no more than its next ones in memory, and all of them no more than this part. */
const SUSPECT_ROOM = 2;
const SUSPECT_SHARE = 0.25;

interface RunningAttempt {
  lane: Lane;
  startedAt: number;
  slow: boolean;
}

/**
 * This class decides the order of deliveries: a lane per endpoint, tenants and lanes take turns. First attempts of one conversation go one
 * after the other. How many attempts a lane may have at once follows from how its receiver has answered, so that neither one receiver that
 * is dead nor a thousand of them take from those who answer what these need.
 */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly reputations = new Map<string, Reputation>();
  private readonly rings = byStanding(() => new Ring());
  private readonly attempts = new Map<QueuedDelivery, RunningAttempt>();
  private readonly counts = byStanding(() => ({ running: 0, waiting: 0, bytes: 0 }));
  private readonly suspects: Pace;
  private slotsInUse = 0;

  constructor(
    private readonly limits: LaneLimits = LANE_LIMITS,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.suspects = new Pace(limits.suspectsPerSecond, SUSPECT_BURST_MS);
  }

  /** Returns the lane of an endpoint, made if there is none. What is left of one from an earlier lease is nobody's any more. */
  lane(key: LaneKey): Lane {
    const { endpointId, epoch } = key;
    const existing = this.lanes.get(endpointId);
    if (existing && existing.epoch >= epoch) return existing;
    if (existing) this.drain(endpointId);
    const reputation = this.reputationOf(endpointId);
    const standing = reputation.standing(this.now());
    const lane = new Lane(key, reputation, standing);
    this.lanes.set(endpointId, lane);
    return lane;
  }

  find(endpointId: string): Lane | undefined {
    return this.lanes.get(endpointId);
  }

  /** Counts how many more first attempts this lane may take into memory, and how many retries. */
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
    this.addToRing(lane, this.now());
  }

  /** Takes the next delivery; undefined when none may start now. */
  next(): QueuedDelivery | undefined {
    const now = this.now();
    for (const standing of STANDINGS) {
      while (this.mayStart(standing, now)) {
        const lane = this.rings[standing].take();
        if (!lane) break;
        this.updateStanding(lane, now);
        const item = lane.standing === standing ? lane.shift(now) : undefined;
        if (item) this.start(item, lane, now);
        this.addToRing(lane, now);
        if (item) return item;
      }
    }
    return undefined;
  }

  /** Ends an attempt: the next one of its conversation may start. `response` is undefined where no POST was made. */
  endAttempt(item: QueuedDelivery, response: ReceiverResponse | undefined): void {
    const running = this.attempts.get(item);
    if (!running) return;
    const { lane, startedAt, slow } = running;
    const now = this.now();
    this.attempts.delete(item);
    this.counts[lane.standing].running -= 1;
    lane.release(item);
    if (slow) lane.reputation.slowAttempts -= 1;
    if (response) lane.reputation.update(response, startedAt, now);
    this.updateStanding(lane, now);
    this.addToRing(lane, now);
    this.dropIfIdle(lane);
  }

  /** Frees the slot of an attempt whose result is in the database, or is another owner's to write. */
  freeSlot(): void {
    this.slotsInUse -= 1;
  }

  /**
   * Reviews attempts that have been under way for long, and suspects whose pause has ended.
   * @returns suspects that keep more in memory than they may.
   */
  review(): Lane[] {
    const now = this.now();
    for (const running of this.attempts.values()) {
      if (now - running.startedAt < SLOW_MS) break; // in order of their start
      if (running.slow) continue;
      running.slow = true;
      running.lane.reputation.slowAttempts += 1;
    }
    const lanes = [...this.lanes.values()];
    for (const lane of lanes) {
      this.updateStanding(lane, now);
      this.addToRing(lane, now);
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

  /** Says whether there is more to load from the database for this lane, and enough room to be worth it. */
  needsRefill(lane: Lane): boolean {
    if (lane.returns > 0 || !(lane.backlog || lane.retriesDue)) return false;
    const { firsts, retries } = this.room(lane);
    if (lane.standing === 'suspect') {
      return (lane.backlog && lane.firsts === 0 && firsts > 0) || (lane.retriesDue && retries > 0);
    }
    return lane.waiting <= this.limits.perLane / 4 && firsts > 0;
  }

  /** Finds the lanes that need a refill; looks at each. */
  lanesToRefill(): Lane[] {
    return [...this.lanes.values()].filter((lane) => this.needsRefill(lane));
  }

  /** Drops a lane without deliveries. An empty lane of an earlier lease leaves that of the new one alone. */
  dropIfIdle(lane: Lane): void {
    if (lane.idle && this.lanes.get(lane.endpointId) === lane) this.lanes.delete(lane.endpointId);
  }

  get inFlight(): number {
    return this.slotsInUse;
  }

  private mayStart(standing: Standing, now: number): boolean {
    const { inFlight, unwritten } = this.limits;
    if (this.slotsInUse >= inFlight || this.slotsInUse - this.attempts.size >= unwritten) return false;
    if (this.counts[standing].running >= inFlight * SHARES[standing]) return false;
    return standing !== 'suspect' || this.suspects.waitMs(now) === 0;
  }

  private start(item: QueuedDelivery, lane: Lane, now: number): void {
    this.attempts.set(item, { lane, startedAt: now, slow: false });
    this.counts[lane.standing].running += 1;
    this.slotsInUse += 1;
    if (lane.standing === 'suspect') this.suspects.take(now);
    this.count(lane, -1, -item.payload.length);
  }

  /** Puts a lane that may start one more attempt into the ring of its standing. */
  private addToRing(lane: Lane, now: number): void {
    if (lane.running < this.maxAttemptsOf(lane) && lane.isRunnable(now)) this.rings[lane.standing].add(lane);
  }

  private maxAttemptsOf({ standing }: Lane): number {
    const share = Math.floor((this.limits.inFlight * ATTEMPTS_SHARE) / Math.max(1, this.lanes.size));
    return Math.max(1, Math.min(MAX_ATTEMPTS[standing], share));
  }

  /** Moves the counts of a lane whose standing has changed. */
  private updateStanding(lane: Lane, now: number): void {
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
    // The retries of a suspect keep their time, however long its first attempts wait.
    if (standing === 'suspect') lane.retriesDue ||= lane.backlog;
  }

  private reputationOf(endpointId: string): Reputation {
    const reputation = this.reputations.get(endpointId) ?? new Reputation();
    this.reputations.delete(endpointId);
    this.reputations.set(endpointId, reputation);
    const [oldest] = this.reputations.keys();
    if (this.reputations.size > this.limits.reputations && oldest) this.reputations.delete(oldest);
    return reputation;
  }

  /** Says whether lanes of a standing have no more memory. Suspects have memory of their own: what waits for them takes none from others. */
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
