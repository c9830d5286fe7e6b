/**
 * Work that is begun and not waited for until the process, or a part of it, stops. It is counted and not kept: a `Set` in which
 * things come and go hangs on to what its outgrown tables held until the next full garbage collection, and makes that necessary.
 */
export class UnderWay {
  private count = 0;
  private waiting: (() => void)[] = [];

  /** @returns the same work. */
  add<T>(work: Promise<T>): Promise<T> {
    this.count += 1;
    const ended = (): void => this.end();
    work.then(ended, ended);
    return work;
  }

  /** Resolves at the first moment at which nothing is under way; nothing is said of how it went. */
  async settled(): Promise<void> {
    if (this.count > 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private end(): void {
    this.count -= 1;
    if (this.count > 0) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
