import type { StatusReason } from '@svc/contracts';

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Longest wait after failures of a proxy, in ms: another party must mend it, and each attempt takes a place from others. */
const LONGEST_OF_PROXY_MS = 120_000;
/** A socket that has lived that long worked. */
const STEADY_MS = 120_000;

/** Counts the failures of one session's sockets, and says how long to wait before the next one. */
export class Reconnects {
  private attempt = 0;
  private openedAt = 0;
  private malfunctionsInARow = 0;
  /** Number of sockets that did not work. */
  malfunctions = 0;

  /** Says whether no socket has failed since the last one that opened. */
  get isFirst(): boolean {
    return this.attempt === 0;
  }

  /** A socket has logged in at that time, in ms. */
  opened(now: number): void {
    this.attempt = 0;
    this.openedAt = now;
  }

  /** Counts a socket that did not work: after repeated failures each connection waits longer, though every login succeeds. */
  malfunctioned(now: number): void {
    this.malfunctions += 1;
    this.malfunctionsInARow = now - this.openedAt > STEADY_MS ? 0 : this.malfunctionsInARow + 1;
    this.attempt = Math.max(this.attempt, this.malfunctionsInARow);
  }

  /**
   * Computes the wait before the next socket in ms: doubling, with full jitter above half. `random` in [0, 1); `reason` of the last
   * failure.
   */
  nextDelayMs(random: number, reason?: StatusReason): number {
    this.attempt += 1;
    const longest = reason === 'PROXY_FAILED' ? LONGEST_OF_PROXY_MS : LONGEST_MS;
    const ceiling = Math.min(longest, FIRST_MS * 2 ** (this.attempt - 1));
    return Math.round(ceiling / 2 + (random * ceiling) / 2);
  }
}
