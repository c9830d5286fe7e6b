/**
 * Runs a task one run at a time. Whoever asks while a run is under way gets the next one, which begins after the question, and shares it
 * with all others who asked meanwhile: runs never pile up. The task must not reject.
 */
export class CoalescedTask<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly task: () => Promise<T>) {}

  /** Resolves with the result of a run that begins now or later. */
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
export async function forEachLimited<T>(
  items: T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
