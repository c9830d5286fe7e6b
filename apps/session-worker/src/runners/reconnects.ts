import type { StatusReason } from '@svc/contracts';

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** A proxy that lets nobody through is somebody else's to mend, and each attempt takes a place from others. */
const LONGEST_OF_PROXY_MS = 120_000;
/** A socket that has lived that long worked. */
const STEADY_MS = 120_000;

/** Counts the failures of one session's sockets, and says how long to wait before the next one. */
export class Reconnects {
  private attempt = 0;
  private openedAt = 0;
  private malfunctionsInARow = 0;
  /** How often a socket did not work. */
  malfunctions = 0;

  /** Whether no socket has failed since the last one that opened. */
  get isFirst(): boolean {
    return this.attempt === 0;
  }

  /** A socket has logged in at that time, in ms. */
  opened(now: number): void {
    this.attempt = 0;
    this.openedAt = now;
  }

  /** A socket did not work: what goes wrong again and again makes each connection wait longer, though every login succeeds. */
  malfunctioned(now: number): void {
    this.malfunctions += 1;
    this.malfunctionsInARow = now - this.openedAt > STEADY_MS ? 0 : this.malfunctionsInARow + 1;
    this.attempt = Math.max(this.attempt, this.malfunctionsInARow);
  }

  /** The wait before the next socket in ms: doubling, with full jitter above half. `random` in [0, 1); `reason` of the last failure. */
  nextDelayMs(random: number, reason?: StatusReason): number {
    this.attempt += 1;
    const longest = reason === 'PROXY_FAILED' ? LONGEST_OF_PROXY_MS : LONGEST_MS;
    const ceiling = Math.min(longest, FIRST_MS * 2 ** (this.attempt - 1));
    return Math.round(ceiling / 2 + (random * ceiling) / 2);
  }
}
