import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/** First version that carries contexts along without a hook per promise. */
const NEEDS_NO_HELP = 24;

/** What each storage of this process holds at this point of the program. */
const shared = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** A storage that keeps its value among those of all others, so that a thousand of them cost as much as one. */
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

/**
 * The library makes an `AsyncLocalStorage` per socket. Before Node 24 every promise of the process looks at every one of
 * them: with 300 sockets an `await` takes a hundred times as long (docs/adr/0008-one-async-context-for-all-sockets.md). From here on all storages that are
 * made share one.
 */
export function shareAsyncContext(): void {
  if (Number(process.versions.node.split('.')[0]) >= NEEDS_NO_HELP) return;
  asyncHooks.AsyncLocalStorage = SharedAsyncLocalStorage;
  syncBuiltinESMExports();
}
