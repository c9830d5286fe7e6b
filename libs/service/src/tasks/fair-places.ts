import { log } from '../logging/logger.js';

const REPORT_MS = 1_000;
/** Largest share of the places that one tenant may hold. */
const LARGEST_SHARE = 3 / 4;

/** A place in the queue, or among those who work. */
export interface Place {
  /** The work has ended, whichever way, or is not wanted any more. */
  leave(): void;
}

/** Work that waits, or is under way. */
interface Work {
  tenantId: string;
  start(): void;
}

/**
 * Bounds how much of one kind of work is under way in this process, where its tenants decide how long it takes. Nobody waits for a rate, only for a place:
 * the next one is for the tenant that holds fewest, among its own work first come, first served, and a quarter of the places no single
 * tenant gets.
 */
export class FairPlaces {
  private readonly waiting = new Set<Work>();
  private readonly underWay = new Set<Work>();
  private readonly held = new Map<string, number>();
  private report: NodeJS.Timeout | undefined;
  /** Most places of one tenant. */
  private readonly most: number;

  /** @param name of the work, in the plural: the log says how many wait. */
  constructor(
    private readonly name: string,
    private readonly places: number,
  ) {
    this.most = Math.max(1, Math.ceil(places * LARGEST_SHARE));
  }

  /** Calls `start` when there is a place, at once or later; not after `leave`. */
  enter(tenantId: string, start: () => void): Place {
    const work = { tenantId, start };
    this.waiting.add(work);
    this.admit();
    this.report ??=
      this.waiting.size > 0 ? setInterval(() => this.reportWaiting(), REPORT_MS).unref() : undefined;
    return {
      leave: () => {
        this.waiting.delete(work);
        if (!this.underWay.delete(work)) return;
        this.hold(tenantId, -1);
        this.admit();
      },
    };
  }

  /**
   * Does work once there is a place, and gives the place back when the work has ended.
   * @param signal gives up the wait for a place; the work looks at it by itself.
   * @throws what the work throws, or the reason of the signal where it was given up before there was a place.
   */
  async run<T>(tenantId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    let [begin, giveUp] = [(): void => undefined, (): void => undefined];
    const admitted = new Promise<void>((resolve, reject) => {
      [begin, giveUp] = [resolve, () => reject(signal?.reason as Error)];
    });
    signal?.addEventListener('abort', giveUp);
    const place = this.enter(tenantId, begin);
    try {
      await admitted;
      return await work();
    } finally {
      signal?.removeEventListener('abort', giveUp);
      place.leave();
    }
  }

  private admit(): void {
    for (let next = this.next(); next; next = this.next()) {
      this.waiting.delete(next);
      this.underWay.add(next);
      this.hold(next.tenantId, 1);
      next.start();
    }
  }

  /** Picks who is let in next, if there is a place. */
  private next(): Work | undefined {
    if (this.underWay.size >= this.places) return undefined;
    let [best, fewest] = [undefined as Work | undefined, this.most];
    for (const work of this.waiting) {
      const held = this.held.get(work.tenantId) ?? 0;
      if (held < fewest) [best, fewest] = [work, held];
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
    const { name, waiting, underWay } = this;
    if (waiting.size > 0)
      return log().info({ waiting: waiting.size, inFlight: underWay.size }, `${name} wait`);
    clearInterval(this.report);
    this.report = undefined;
  }
}
