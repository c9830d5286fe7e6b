import { limitReached } from '@svc/contracts';

const BURST_MS = 1_000;
/** Keys that are remembered; beyond it, those that are idle are forgotten. */
const MOST_KEYS = 10_000;

/** Limits a flow to so many a second: what is due at the same moment goes one after the other. */
export class Pace {
  private nextAt = -Infinity;

  /**
   * @param perSecond greater than 0.
   * @param burstMs what may come at once after a pause, in ms of the pace.
   */
  constructor(
    readonly perSecond: number,
    private readonly burstMs: number,
  ) {}

  /** Says how long one has to wait, in ms, at least 1; 0: not at all. Times in ms of one clock. */
  waitMs(now: number): number {
    const ahead = this.nextAt - now;
    return ahead < this.burstMs ? 0 : Math.max(1, ahead - this.burstMs);
  }

  /** Counts one that goes now. */
  take(now: number): void {
    this.nextAt = Math.max(this.nextAt, now) + 1000 / this.perSecond;
  }

  /** Says whether nothing has gone for so long that it is like a new one. */
  isIdle(now: number): boolean {
    return this.nextAt <= now;
  }
}

/** This class limits how many requests a second each of many may make: who is in a loop does not take the service from the others. */
export class KeyedPaces {
  private readonly paces = new Map<string, Pace>();

  /** @param limit a second, a second of them at once; 0: any number. */
  constructor(
    private readonly limit: number,
    private readonly words: string,
  ) {}

  /**
   * @param limit of this key, where each has its own
   * @throws AppError `RATE_LIMITED`, layer `request`.
   */
  take(key: string, limit: number = this.limit): void {
    if (limit === 0) return;
    const now = performance.now();
    const pace = this.paceOf(key, limit, now);
    const waitMs = pace.waitMs(now);
    if (waitMs === 0) return pace.take(now);
    const retryAfterSeconds = Math.ceil(waitMs / 1000);
    const resetAt = new Date(Date.now() + waitMs).toISOString();
    throw limitReached('request', this.words, { limit, used: limit, resetAt, retryAfterSeconds });
  }

  private paceOf(key: string, limit: number, now: number): Pace {
    const remembered = this.paces.get(key);
    if (remembered?.perSecond === limit) return remembered;
    if (this.paces.size >= MOST_KEYS) this.forgetIdle(now);
    const pace = new Pace(limit, BURST_MS);
    this.paces.set(key, pace);
    return pace;
  }

  /** Forgets idle paces: one says the same as a new one. */
  private forgetIdle(now: number): void {
    for (const [key, pace] of this.paces) if (pace.isIdle(now)) this.paces.delete(key);
  }
}
