import { log } from '@svc/service';

/** How batches are gathered. */
export interface BatchOptions<T> {
  maxSize: number;
  /** Bound on the sum of `weight`, for items of very different size; a single item may exceed it. */
  maxWeight?: number;
  weight?: (item: T) => number;
  /** How long the first one of a batch waits for company. */
  lingerMs: number;
}

/**
 * Gathers what comes one by one and hands it over in one go, one batch at a time and in order. While a batch is under
 * way the next one fills up, so the linger only matters when there is little to do.
 */
export class Batches<T> {
  private waiting: T[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running = false;

  /** @param carryOut sees each item through, whatever happens: of a batch that it rejects nothing more is heard. An item has no promise of its own: there are thousands a second. */
  constructor(
    private readonly options: BatchOptions<T>,
    private readonly carryOut: (items: T[]) => Promise<void>,
  ) {}

  add(item: T): void {
    this.waiting.push(item);
    if (this.running) return;
    if (this.waiting.length >= this.options.maxSize) void this.drain();
    else this.timer ??= setTimeout(() => void this.drain(), this.options.lingerMs);
  }

  private async drain(): Promise<void> {
    this.running = true;
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.waiting.length > 0) {
      try {
        await this.carryOut(this.takeBatch());
      } catch (error) {
        log().error({ err: error }, 'a batch failed'); // the next ones must not wait for ever
      }
    }
    this.running = false;
  }

  private takeBatch(): T[] {
    const size = this.nextSize();
    if (size < this.waiting.length) return this.waiting.splice(0, size);
    const batch = this.waiting;
    this.waiting = [];
    return batch;
  }

  private nextSize(): number {
    const { maxSize, maxWeight, weight } = this.options;
    if (maxWeight === undefined || weight === undefined) return maxSize;
    let total = 0;
    const excess = this.waiting.slice(0, maxSize).findIndex((item) => (total += weight(item)) > maxWeight);
    return excess === -1 ? maxSize : Math.max(1, excess);
  }
}
