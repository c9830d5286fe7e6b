/**
 * Caches for the library in place of its own caches, which keep a timer for every socket and never end it. The oldest entry
 * goes when the cache is full; entries have no age, the library deletes what is out of date.
 */
export class BoundedCache {
  private readonly entries = new Map<string, unknown>();

  /** @param worth which keys are kept at all; all of them by default. */
  constructor(
    private readonly limit: number,
    private readonly worth: (key: string) => boolean = () => true,
  ) {}

  get<T>(key: string): T | undefined {
    return this.entries.get(key) as T | undefined;
  }

  set(key: string, value: unknown): void {
    if (!this.worth(key)) return;
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value as string);
  }

  del(key: string): void {
    this.entries.delete(key);
  }

  flushAll(): void {
    this.entries.clear();
  }
}
