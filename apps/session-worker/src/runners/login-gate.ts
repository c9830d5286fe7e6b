import { log } from '@svc/service';

const REPORT_MS = 1_000;
/** Largest share of the places that one tenant may hold. */
const LARGEST_SHARE = 3 / 4;

/** A place in the queue of logins, or among those under way. */
export interface LoginPlace {
  /** The login has ended, whichever way, or is not wanted any more. */
  leave(): void;
}

/** A login that waits, or is under way. */
interface Login {
  tenantId: string;
  start(): void;
}

/**
 * Bounds the logins under way in this process: each costs more CPU than an idle session in an hour, and a hundred together all end in
 * time-outs. Nobody waits for a rate, only for a place. How long a place is held a tenant's proxy decides: so the next place is for the
 * tenant that holds fewest, among its own first come, first served, and some places no single tenant gets.
 */
export class LoginGate {
  private readonly waiting = new Set<Login>();
  private readonly inFlight = new Set<Login>();
  private readonly held = new Map<string, number>();
  private report: NodeJS.Timeout | undefined;
  /** Most places of one tenant. */
  private readonly most: number;

  constructor(private readonly places: number) {
    this.most = Math.max(1, Math.ceil(places * LARGEST_SHARE));
  }

  /** Calls `start` when there is a place, now or later; not after `leave`. */
  enter(tenantId: string, start: () => void): LoginPlace {
    const login = { tenantId, start };
    this.waiting.add(login);
    this.admit();
    this.report ??=
      this.waiting.size > 0 ? setInterval(() => this.reportWaiting(), REPORT_MS).unref() : undefined;
    return {
      leave: () => {
        this.waiting.delete(login);
        if (!this.inFlight.delete(login)) return;
        this.hold(tenantId, -1);
        this.admit();
      },
    };
  }

  private admit(): void {
    for (let next = this.next(); next; next = this.next()) {
      this.waiting.delete(next);
      this.inFlight.add(next);
      this.hold(next.tenantId, 1);
      next.start();
    }
  }

  /** Picks the next login, if there is a place. */
  private next(): Login | undefined {
    if (this.inFlight.size >= this.places) return undefined;
    let [best, fewest] = [undefined as Login | undefined, this.most];
    for (const login of this.waiting) {
      const held = this.held.get(login.tenantId) ?? 0;
      if (held < fewest) [best, fewest] = [login, held];
      if (fewest === 0) break;
    }
    return best;
  }

  private hold(tenantId: string, change: number): void {
    const held = (this.held.get(tenantId) ?? 0) + change;
    if (held === 0) this.held.delete(tenantId);
    else this.held.set(tenantId, held);
  }

  private reportWaiting(): void {
    if (this.waiting.size > 0) {
      return log().info({ waiting: this.waiting.size, inFlight: this.inFlight.size }, 'logins wait');
    }
    clearInterval(this.report);
    this.report = undefined;
  }
}
