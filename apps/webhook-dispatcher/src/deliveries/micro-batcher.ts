/** How a batcher gathers. */
export interface BatchOptions<T> {
  maxSize: number;
  /** Bound on the sum of `weight`, for items of very different size; a single item may exceed it. */
  maxWeight?: number;
  weight?: (item: T) => number;
  /** How long the first one of a batch waits for company. */
  lingerMs: number;
}

interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers what many callers bring and hands it over in one go, one batch at a time and in order. While a batch is under
 * way the next one fills up, so the linger only matters when there is little to do.
 */
export class MicroBatcher<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param flush results in the order of the items; a rejection is that of every item. */
  constructor(
    private readonly options: BatchOptions<T>,
    private readonly flush: (items: T[]) => Promise<R[]>,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running) return;
      if (this.waiting.length >= this.options.maxSize) this.start();
      else this.timer ??= setTimeout(() => this.start(), this.options.lingerMs);
    });
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running = this.drain();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.nextSize());
      try {
        const results = await this.flush(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index] as R));
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    // Here and not in a `finally` of the caller: what is added a moment later must find it free and start it again.
    this.running = undefined;
  }

  private nextSize(): number {
    const { maxSize, maxWeight, weight } = this.options;
    if (maxWeight === undefined || weight === undefined) return maxSize;
    let total = 0;
    const excess = this.waiting
      .slice(0, maxSize)
      .findIndex(({ item }) => (total += weight(item)) > maxWeight);
    return excess === -1 ? maxSize : Math.max(1, excess);
  }
}
