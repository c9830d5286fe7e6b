/**
 * Runs a task one turn at a time. Whoever asks while a turn is under way gets the next one, which began after the
 * question, and shares it with all others who asked meanwhile: turns never pile up. The task must not reject.
 */
export class Turns<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly task: () => Promise<T>) {}

  /** Resolves with the result of a turn that begins now or later. */
  run(): Promise<T> {
    if (this.current) {
      this.next ??= this.current.then(() => {
        this.next = undefined;
        return this.run();
      });
      return this.next;
    }
    this.current = this.task().finally(() => {
      this.current = undefined;
    });
    return this.current;
  }
}

/** Does the work for each item, at most `limit` at a time. */
export async function eachOf<T>(items: T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}
