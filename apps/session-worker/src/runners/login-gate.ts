import { log } from '@svc/service';

const REPORT_MS = 1_000;

/** A place in the queue of logins, or among those under way. */
export interface LoginPlace {
  /** The login has ended, whichever way, or is not wanted any more. */
  leave(): void;
}

/**
 * Bounds the logins under way in this process: each costs more CPU than a idle session in an hour, and a hundred at once
 * all end in time-outs. Who comes first is let in first; nobody waits for a rate, only for a place.
 */
export class LoginGate {
  private readonly waiting = new Map<symbol, () => void>();
  private readonly inFlight = new Set<symbol>();
  private report: NodeJS.Timeout | undefined;

  constructor(private readonly places: number) {}

  /** Calls `start` when there is a place, at once or later; not after `leave`. */
  enter(start: () => void): LoginPlace {
    const place = Symbol('login');
    this.waiting.set(place, start);
    this.admit();
    this.report ??=
      this.waiting.size > 0 ? setInterval(() => this.reportWaiting(), REPORT_MS).unref() : undefined;
    return {
      leave: () => {
        this.waiting.delete(place);
        if (this.inFlight.delete(place)) this.admit();
      },
    };
  }

  private admit(): void {
    for (const [place, start] of this.waiting) {
      if (this.inFlight.size >= this.places) return;
      this.waiting.delete(place);
      this.inFlight.add(place);
      start();
    }
  }

  private reportWaiting(): void {
    if (this.waiting.size > 0) {
      return log().info({ waiting: this.waiting.size, inFlight: this.inFlight.size }, 'logins wait');
    }
    clearInterval(this.report);
    this.report = undefined;
  }
}
