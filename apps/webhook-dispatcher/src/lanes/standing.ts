/** Who may have how many attempts at once: first those who answer, last those who may be dead. */
export const STANDINGS = ['proven', 'unproven', 'suspect'] as const;
/** One of `STANDINGS`. */
export type Standing = (typeof STANDINGS)[number];

/** What a receiver did with an attempt: `silent` stands for time-outs, refusals and all else without an answer. */
export type Answered = 'ok' | 'error' | 'silent';

const PROVEN_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** How the receiver of an endpoint has answered lately. Times in ms of the process's monotonic clock. */
export class Reputation {
  /** Attempts that have been under way for so long that nobody may be there. */
  slow = 0;
  private okAt = -Infinity;
  private troubledAt = -Infinity;
  /** Attempts without an answer, one after the other: those that were under way at the same time count once. */
  private troubles = 0;

  standing(now: number): Standing {
    if (this.slow > 0 || this.troubles > 0) return 'suspect';
    return now - this.okAt < PROVEN_MS ? 'proven' : 'unproven';
  }

  /** When a first attempt may be made. Retries have their schedule. */
  get probeAt(): number {
    if (this.troubles === 0) return -Infinity;
    return this.troubledAt + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.troubles - 1));
  }

  learn(answered: Answered, startedAt: number, now: number): void {
    if (answered === 'ok') this.okAt = now;
    if (answered !== 'silent') this.troubles = 0;
    else if (startedAt >= this.troubledAt) {
      this.troubles += 1;
      this.troubledAt = now;
    }
  }
}
