/** Limits a flow to so many a second: what is due at the same moment goes one after the other. */
export class Pace {
  private nextAt = -Infinity;

  /**
   * @param perSecond greater than 0.
   * @param burstMs what may come at once after a pause, in ms of the pace.
   */
  constructor(
    private readonly perSecond: number,
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

  /** Whether nothing has gone for so long that it is like a new one. */
  isIdle(now: number): boolean {
    return this.nextAt <= now;
  }
}
