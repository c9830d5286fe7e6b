/** Options for gathering and handling batches. */
export interface BatchOptions<T> {
  maxSize: number;
  /** Bound on the sum of `weight`, for items of very different size; a single item may exceed it. */
  maxWeight?: number;
  weight?: (item: T) => number;
  /** Time for which a batch that is not full waits for more items, from its first item or the end of the batch before it. */
  lingerMs: number;
  /** Handles a batch, and finishes each of its items, whatever happens: a batch that it rejects does not come again. */
  handle: (items: T[]) => Promise<void>;
  /** Handler of the error that `handle` has rejected with. */
  onFailure: (error: unknown) => void;
}

/**
 * Gathers what comes one by one and hands it over in one go, one batch at a time and in order. While a batch is under way the next one
 * fills up; what is not full by then lingers as the first did, since a statement for a few costs about as much as one for many.
 *
 * An item has no promise of its own: where thousands come a second, that is what it would cost. Whoever waits for the fate of its
 * item uses `GroupCommit`.
 */
export class Batches<T> {
  private waiting: T[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running = false;

  constructor(private readonly options: BatchOptions<T>) {}

  /** Takes an item into the next batch that has room. */
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
    do {
      try {
        await this.options.handle(this.takeBatch());
      } catch (error) {
        this.options.onFailure(error); // the next ones must not wait for ever
      }
    } while (this.waiting.length >= this.options.maxSize);
    this.running = false;
    if (this.waiting.length > 0) this.timer = setTimeout(() => void this.drain(), this.options.lingerMs);
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
