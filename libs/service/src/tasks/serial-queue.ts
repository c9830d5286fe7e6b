/** Runs pieces of work one after the other, in the order in which they were added; one that fails holds up none behind it. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  /** Says whether nothing runs and nothing waits. */
  get isEmpty(): boolean {
    return this.waiting === 0;
  }

  /** Adds work; resolves, or rejects, as the work does. */
  async add<T>(work: () => Promise<T>): Promise<T> {
    this.waiting += 1;
    const result = this.last.then(work);
    this.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.waiting -= 1;
    }
  }

  /** Resolves when all that was added by now is done. */
  async idle(): Promise<void> {
    await this.last;
  }
}

/** Has a serial queue for each key: work of one key runs one after the other, that of different keys side by side. */
export class SerialQueues {
  private readonly queues = new Map<string, SerialQueue>();

  /** Resolves, or rejects, as the work does. */
  async add<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? new SerialQueue();
    this.queues.set(key, queue);
    try {
      return await queue.add(work);
    } finally {
      if (queue.isEmpty) this.queues.delete(key);
    }
  }
}
