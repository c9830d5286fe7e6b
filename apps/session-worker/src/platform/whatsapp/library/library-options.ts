import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import type { WASocket } from '@whiskeysockets/baileys';
import { log } from '@svc/service';

/** Map that forgets the entry that was written longest ago when it is full. It takes memory for what it holds, not for its limit. */
class BoundedMap<T> extends Map<string, T> {
  constructor(private readonly limit: number) {
    super();
  }

  override set(key: string, value: T): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.limit) this.delete(this.keys().next().value as string);
    return this;
  }
}

/** Number of resends of a session whose first key is known, as the library has it. */
const RESENDS = 1_024;

// Library patch: recent-messages
/**
 * Has the library keep nothing of what was sent, and reserve no memory for it. The table has the message for each device that asks for it
 * again. The library would keep each for five minutes, 20 KB of it: its timer holds the transaction in which it was sent. And its two stores
 * reserve room for all that they may ever hold: more than half of what an idle session took of the heap.
 */
export function keepNoSentMessages({
  messageRetryManager: manager,
}: Pick<WASocket, 'messageRetryManager'>): void {
  if (!manager) return;
  manager.addRecentMessage = () => undefined;
  Object.assign(manager, { recentMessagesMap: new Map(), baseKeys: new BoundedMap<Uint8Array>(RESENDS) });
}

// Library patch: bounded-caches
/**
 * Caches for the library in place of its own caches, which keep a timer for every socket and never end it. The oldest entry
 * goes when the cache is full; entries have no age, the library deletes what is out of date.
 */
export class BoundedCache {
  private readonly entries: BoundedMap<unknown>;

  /** @param worth which keys are cached at all; all of them by default. */
  constructor(
    limit: number,
    private readonly worth: (key: string) => boolean = () => true,
  ) {
    this.entries = new BoundedMap(limit);
  }

  get<T>(key: string): T | undefined {
    return this.entries.get(key) as T | undefined;
  }

  set(key: string, value: unknown): void {
    if (this.worth(key)) this.entries.set(key, value);
  }

  del(key: string): void {
    this.entries.delete(key);
  }

  flushAll(): void {
    this.entries.clear();
  }
}

type LogCall = (fields: unknown, words?: string) => void;

/** Logger that the platform library wants. */
export interface LibraryLogger {
  level: string;
  child(fields: Record<string, unknown>): LibraryLogger;
  trace: LogCall;
  debug: LogCall;
  info: LogCall;
  warn: LogCall;
  error: LogCall;
}

// Library patch: quiet-library
/** Makes a logger that writes nothing of the library but the fixed words of its warnings: it logs key material and message text. */
export function quietLogger(): LibraryLogger {
  const drop = (): void => undefined;
  const keep: LogCall = (_fields, words) => {
    if (typeof words === 'string') log().debug({ library: 'baileys' }, words);
  };
  const logger: LibraryLogger = {
    level: 'silent',
    child: () => logger,
    trace: drop,
    debug: drop,
    info: drop,
    warn: keep,
    error: keep,
  };
  return logger;
}

/** First version that carries contexts along without a hook per promise. */
const NEEDS_NO_HELP = 24;

/** Values that all storages of this process hold at this point of the program. */
const shared = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** Storage whose value lies among those of all others, so that a thousand of them cost as much as one. */
class SharedAsyncLocalStorage<T> extends AsyncLocalStorage<T> {
  override getStore(): T | undefined {
    return shared.getStore()?.get(this) as T | undefined;
  }

  override run<R, A extends unknown[]>(store: T, work: (...args: A) => R, ...args: A): R {
    return shared.run(this.with(store), work, ...args);
  }

  override exit<R, A extends unknown[]>(work: (...args: A) => R, ...args: A): R {
    return shared.run(this.with(undefined), work, ...args);
  }

  override enterWith(store: T): void {
    shared.enterWith(this.with(store));
  }

  override disable(): void {
    if (shared.getStore()?.has(this)) shared.enterWith(this.with(undefined));
  }

  private with(store: T | undefined): ReadonlyMap<object, unknown> {
    const all = new Map(shared.getStore());
    if (store === undefined) all.delete(this);
    else all.set(this, store);
    return all;
  }
}

// Library patch: one-async-context
/**
 * Makes all storages share one context: the library makes an `AsyncLocalStorage` per socket. Before Node 24 every promise of the process
 * looks at every one of them: with 300 sockets an `await` takes a hundred times as long
 * (docs/adr/0008-one-async-context-for-all-sockets.md). From here on all storages that are made share one.
 */
export function shareAsyncContext(): void {
  if (Number(process.versions.node.split('.')[0]) >= NEEDS_NO_HELP) return;
  asyncHooks.AsyncLocalStorage = SharedAsyncLocalStorage;
  syncBuiltinESMExports();
}
