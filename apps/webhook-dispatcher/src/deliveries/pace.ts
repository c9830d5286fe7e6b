/** What may come at once after a pause, in ms of the pace. */
const BURST_MS = 250;

/** So many a second at most: what is due at the same moment goes one after the other. */
export class Pace {
  private nextAt = -Infinity;

  /** @param perSecond greater than 0. */
  constructor(private readonly perSecond: number) {}

  /** Whether one may go. Times in ms of one clock. */
  isOpen(now: number): boolean {
    return this.nextAt - now < BURST_MS;
  }

  /** One has gone. */
  take(now: number): void {
    this.nextAt = Math.max(this.nextAt, now) + 1000 / this.perSecond;
  }
}
