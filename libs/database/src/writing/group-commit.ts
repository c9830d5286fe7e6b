import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '../database-away.js';

const RETRY_MS = 250;

/** Limits for the repeats of a statement while the database is away. */
export interface Patience {
  /** Longest time of all tries, half a minute by default. */
  patienceMs?: number | undefined;
  /** Start of that time, by the process's monotonic clock; now by default. */
  since?: number | undefined;
  /** Handler of every failure after which the statement is run again. */
  onFailure?: (error: unknown) => void;
}

/**
 * Runs a statement again while the database is away or a deadlock undid it.
 * @throws what the statement threw, where that does not pass or has not passed in time.
 */
export async function patiently<T>(
  statement: () => Promise<T>,
  { patienceMs = 30_000, since = performance.now(), onFailure }: Patience = {},
): Promise<T> {
  const deadline = since + patienceMs;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isPassing(error) || performance.now() > deadline) throw error;
      onFailure?.(error);
      await delay(RETRY_MS);
    }
  }
}

/** Says whether the same statement may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  const { driverError = error } = Object(error) as { driverError?: unknown };
  const { code } = Object(driverError) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('40'); // undone by the server: a deadlock
}

/** Options for writing a group. */
export interface GroupOptions<T, R> {
  /** Items of one group at most. */
  most: number;
  /** Writes a group in one transaction; one result per item, in order. */
  write(items: T[]): Promise<R[]>;
  /** Items of one name never share a group: the later one waits. */
  apart?(item: T): string;
  /**
   * Longest wait of an item for a database that is away, as `patiently` has it by default; and its highest age when it is tried on its own,
   * after its group was refused: any age by default.
   */
  patienceMs?: number;
  /**
   * Least time from the start of a group to that of the next, unless it is full, in ms; 0 by default. For what nobody waits for: a steady
   * flow then costs so many statements a second at most.
   */
  everyMs?: number;
}

interface Waiting<T, R> {
  item: T;
  since: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Writes what many callers want written at about the same time in one transaction: what comes while a group is being
 * written makes up the next one. One that comes after a while is written at once, so that nobody waits for company.
 *
 * Each caller has a promise of its own item, so that it can go on when that is committed, and hears why where it is refused. `Batches`
 * has neither and is for what comes by the thousand a second and is seen through by whoever handles the batch.
 */
export class GroupCommit<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private writing = false;
  private lastStartAt = -Infinity;
  /** Ends the wait between two groups. */
  private wake: () => void = () => undefined;

  constructor(private readonly options: GroupOptions<T, R>) {}

  /** Resolves when the item is committed; tried again for a while where the database is away. */
  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, since: performance.now(), resolve, reject });
      if (!this.writing) void this.run();
      else if (this.waiting.length >= this.options.most) this.wake();
    });
  }

  private async run(): Promise<void> {
    this.writing = true;
    while (this.waiting.length > 0) {
      await this.waitForNextGroup();
      this.lastStartAt = performance.now();
      await this.commit(this.next());
    }
    this.writing = false;
  }

  private async waitForNextGroup(): Promise<void> {
    const { everyMs = 0, most } = this.options;
    const left = this.lastStartAt + everyMs - performance.now();
    if (left <= 0 || this.waiting.length >= most) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private next(): Waiting<T, R>[] {
    const { most, apart } = this.options;
    const group: Waiting<T, R>[] = [];
    const later: Waiting<T, R>[] = [];
    const names = new Set<string>();
    for (const one of this.waiting) {
      const name = apart?.(one.item);
      const fits = group.length < most && (name === undefined || !names.has(name));
      (fits ? group : later).push(one);
      if (name !== undefined) names.add(name);
    }
    this.waiting = later;
    return group;
  }

  private async commit(group: Waiting<T, R>[]): Promise<void> {
    const items = group.map(({ item }) => item);
    const { patienceMs } = this.options;
    try {
      const patience = { patienceMs, since: group[0]?.since };
      const results = await patiently(() => this.options.write(items), patience);
      group.forEach((one, n) => one.resolve(results[n] as R));
    } catch (error) {
      if (group.length === 1 || isPassing(error)) for (const one of group) one.reject(error);
      else await this.commitEach(group, error);
    }
  }

  /** Commits each item of a refused group alone: one that the database does not take must not take the others along. */
  private async commitEach(group: Waiting<T, R>[], refusal: unknown): Promise<void> {
    const { patienceMs = Infinity } = this.options;
    for (const one of group) {
      // An item that is too old by now is given up, so that those behind it are not kept waiting.
      if (performance.now() - one.since > patienceMs) one.reject(refusal);
      else await this.commit([one]);
    }
  }
}
