/** So many a second at most: what is due at the same moment goes one after the other. */
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

  /** Until one may go, in ms, at least 1; 0: now. Times in ms of one clock. */
  waitMs(now: number): number {
    const ahead = this.nextAt - now;
    return ahead < this.burstMs ? 0 : Math.max(1, ahead - this.burstMs);
  }

  /** One has gone. */
  take(now: number): void {
    this.nextAt = Math.max(this.nextAt, now) + 1000 / this.perSecond;
  }

  /** Nothing has gone for so long that it is like a new one. */
  isIdle(now: number): boolean {
    return this.nextAt <= now;
  }
}
