import type { StatusReason } from '@svc/contracts';
import { Reconnects } from './reconnects.js';

/** Longest time of one timer, in ms: Node's own end after 24 days, and a ban may be longer. */
const LONGEST_TIMER_MS = 12 * 3_600_000;

/** Reason for which a session waits, and the time at which that ends, where it is known. */
export interface Wait {
  reason: StatusReason;
  until?: Date | undefined;
}

/** Reasons for which the platform is not asked again after a usual wait: another process that takes the session over waits as well. */
export const isLongWait = (reason: StatusReason): boolean =>
  reason === 'CLIENT_OUTDATED' || reason === 'TEMPORARILY_BANNED';

/** Decides when a session opens its next socket: after a back-off, when a ban is over, or when the version of the client is another one. */
export class NextLogin {
  readonly reconnects = new Reconnects();
  private timer: NodeJS.Timeout | undefined;
  private leave: (() => void) | undefined;
  private longWait: StatusReason | undefined;

  constructor(
    private readonly open: (reason: StatusReason) => void,
    /** Waits for another version; undefined: this session's platform has no such thing. */
    private readonly awaitVersion: (wake: () => void) => (() => void) | undefined,
  ) {}

  /** Says whether the session waits for something that another process would have to wait for, too. */
  get isLong(): boolean {
    return this.longWait !== undefined;
  }

  /** Opens the next socket when the wait for this reason is over. */
  after({ reason, until }: Wait): void {
    this.cancel();
    const open = (): void => {
      this.longWait = undefined;
      this.open(reason);
    };
    if (isLongWait(reason)) this.longWait = reason;
    if (reason === 'CLIENT_OUTDATED') this.leave = this.awaitVersion(open);
    if (this.leave) return;
    if (until) this.at(until.getTime(), open);
    else this.timer = setTimeout(open, this.reconnects.nextDelayMs(Math.random(), reason));
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.leave?.();
    this.leave = undefined;
    this.longWait = undefined;
  }

  private at(time: number, open: () => void): void {
    const left = time - Date.now();
    if (left <= LONGEST_TIMER_MS) this.timer = setTimeout(open, Math.max(0, left));
    else this.timer = setTimeout(() => this.at(time, open), LONGEST_TIMER_MS);
  }
}
