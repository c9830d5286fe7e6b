/** The standings order who may have how many attempts at once: first those who answer, last those who may be dead. */
export const STANDINGS = ['proven', 'unproven', 'suspect'] as const;
/** One of `STANDINGS`. */
export type Standing = (typeof STANDINGS)[number];

/** The response of a receiver to an attempt: `silent` stands for time-outs, refusals and all else without an answer. */
export type ReceiverResponse = 'ok' | 'error' | 'silent';

const PROVEN_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A reputation says how the receiver of an endpoint has answered lately. Times are in ms of the process's monotonic clock. */
export class Reputation {
  /** Counts attempts that have been under way for so long that nobody may be there. */
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
