import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { log } from '@svc/service';

// Library patch: bounded-caches
/**
 * Caches for the library in place of its own caches, which keep a timer for every socket and never end it. The oldest entry
 * goes when the cache is full; entries have no age, the library deletes what is out of date.
 */
export class BoundedCache {
  private readonly entries = new Map<string, unknown>();

  /** @param worth which keys are cached at all; all of them by default. */
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
