import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import type { DisconnectReason } from '@svc/contracts';
import type { PlatformAddress } from '../../port.js';
import { atStep } from '../../../steps.js';

const TICK_MS = 1_000;
/** Longest time of a ping, there and back, in ms. */
const PING_MS = 10_000;

/** Listener for what the watchdog finds. */
export interface WatchdogVerdicts {
  /** Ends the socket. A frame that cannot be read, or an error, does so at once. */
  giveUp(reason: DisconnectReason): void;
  /** Tells that the socket may have to be given up for this reason, halfway there; undefined: that is over. */
  doubt(reason: DisconnectReason | undefined): void;
}

// Library patch: unanswered-login
// Library patch: unreadable-frames
/**
 * Finds the socket that looks connected and is deaf. The library sees only some of these, and of those that it sees it
 * tells late. Time is counted in ticks: a process that stood still itself holds nothing against the platform.
 */
export class Watchdog {
  private silentMs = 0;
  private readonly kinds = new Map<string, { inHand: number; stalledMs: number }>();
  private readonly timer: NodeJS.Timeout;
  private isUnanswered = false;
  /** Time since the last doubt, in ms; undefined: there is none that was told. */
  private trustedMs: number | undefined;

  constructor(
    private readonly limits: PlatformAddress['limits'],
    private readonly verdicts: WatchdogVerdicts,
  ) {
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  /** Watches what the library receives, and how it gets on with it. */
  supervise(stanzas: EventEmitter): void {
    stanzas.on('frame', () => (this.silentMs = 0));
    // A frame that cannot be read makes all after it unreadable: the library stays connected, and dead.
    around(stanzas, 'message', (read) => read.catch(() => this.verdicts.giveUp('STREAM_UNREADABLE')));
    around(stanzas, 'CB:message', (done) =>
      this.watch('message', done).then(
        () => atStep('in-6'),
        () => this.verdicts.giveUp('LIBRARY_ERROR'),
      ),
    );
  }

  /** Watches work that must not stand still for long; other work of its kind that gets done speaks for it. */
  async watch<T>(kind: string, work: Promise<T>): Promise<T> {
    const state = this.kinds.get(kind) ?? { inHand: 0, stalledMs: 0 };
    this.kinds.set(kind, state);
    if (state.inHand === 0) state.stalledMs = 0;
    state.inHand += 1;
    try {
      return await work;
    } finally {
      state.inHand -= 1;
      state.stalledMs = 0;
    }
  }

  /** Notes that a send was left without an answer, or that the platform has answered one since. */
  unanswered(isSo: boolean): void {
    this.isUnanswered = isSo;
    if (isSo) this.weigh('UNANSWERED'); // the answer to the next attempt may be faster than a tick
  }

  /** Says whether work of a kind is in hand. */
  isInHand(kind: string): boolean {
    return (this.kinds.get(kind)?.inHand ?? 0) > 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    this.silentMs += TICK_MS;
    for (const state of this.kinds.values()) if (state.inHand > 0) state.stalledMs += TICK_MS;
    const reason = this.finding(1);
    if (reason) this.verdicts.giveUp(reason);
    else this.weigh(this.finding(0.5) ?? (this.isUnanswered ? 'UNANSWERED' : undefined));
  }

  /** Says why the socket does not work, by this part of the limits. */
  private finding(part: number): DisconnectReason | undefined {
    const { keepAliveMs, stallMs } = this.limits;
    if (this.silentMs > keepAliveMs + PING_MS * part) return 'KEEP_ALIVE_TIMEOUT';
    const stalls = [...this.kinds.values()].some(({ stalledMs }) => stalledMs > stallMs * part);
    return stalls ? 'PROCESSING_STALLED' : undefined;
  }

  /** Tells a doubt once, and its end only when two pings went by without another: a state that comes and goes would be written all the time. */
  private weigh(doubt: DisconnectReason | undefined): void {
    if (doubt) {
      if (this.trustedMs === undefined) this.verdicts.doubt(doubt);
      this.trustedMs = 0;
    } else if (this.trustedMs !== undefined) {
      this.trustedMs += TICK_MS;
      if (this.trustedMs < 2 * this.limits.keepAliveMs) return;
      this.trustedMs = undefined;
      this.verdicts.doubt(undefined);
    }
  }
}

/** Gives `keep` the promises of the library's handlers of an event: the library itself drops them. */
function around(
  stanzas: EventEmitter,
  event: string,
  keep: (handled: Promise<void>) => Promise<unknown>,
): void {
  const library = stanzas.listeners(event) as ((...parameters: unknown[]) => Promise<void>)[];
  stanzas.removeAllListeners(event);
  stanzas.on(event, (...parameters: unknown[]) => {
    for (const handle of library) void keep(handle(...parameters));
  });
}

const scopes = new AsyncLocalStorage<FailureScope>();

/** Ends one socket when anything that is done for it, however long after, fails without a listener. */
export class FailureScope {
  // Function of the scope, dropped at the end: connections that were opened in the scope live longer, and would hold the socket in memory.
  private fail: (() => void) | undefined;

  constructor(fail: () => void) {
    this.fail = fail;
  }

  run<T>(work: () => T): T {
    return scopes.run(this, work);
  }

  close(): void {
    this.fail = undefined;
  }

  /** Ends the socket of the current context. For `unhandledRejection`, which Node tells in the context of the promise. */
  static failed(): void {
    scopes.getStore()?.fail?.();
  }
}
