/** This class does one thing at a time, and goes round among those who wait: who brings much waits for himself alone. */
export class FairQueue {
  /** Starts of what waits, by who brought it; who had his turn last comes last. */
  private readonly waiting = new Map<string, (() => void)[]>();
  private isBusy = false;

  /** Does something when it is the turn of whoever brings it. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.isBusy) await new Promise<void>((start) => this.add(owner, start));
    this.isBusy = true;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private add(owner: string, start: () => void): void {
    const own = this.waiting.get(owner) ?? [];
    own.push(start);
    this.waiting.set(owner, own);
  }

  private next(): void {
    const [first] = this.waiting;
    if (!first) {
      this.isBusy = false;
      return;
    }
    const [owner, [start, ...left]] = first;
    this.waiting.delete(owner);
    if (left.length > 0) this.waiting.set(owner, left);
    start?.();
  }
}
