import { AsyncLocalStorage } from 'node:async_hooks';

/** The library's key store, as far as it knows transactions. */
interface TransactionalKeys {
  get(...parameters: never[]): unknown;
  set(...parameters: never[]): unknown;
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>;
}

/**
 * After a send the library goes on with work of its own that nobody waits for. It still runs in the transaction of the
 * send, which has ended by then: what it writes there is lost, and so it is done anew at every send. Here such work
 * reads and writes outside of the transaction that it outlives.
 */
export function keepLateWrites(keys: TransactionalKeys): void {
  const turns = new AsyncLocalStorage<{ ended: boolean }>();
  const outside = AsyncLocalStorage.snapshot();
  const { get, set, transaction } = keys;
  const unlessLate = <T>(work: () => T): T => (turns.getStore()?.ended ? outside(work) : work());
  keys.get = (...parameters) => unlessLate(() => get(...parameters));
  keys.set = (...parameters) => unlessLate(() => set(...parameters));
  keys.transaction = <T>(work: () => Promise<T>, key: string): Promise<T> =>
    unlessLate(() => {
      if (turns.getStore()) return transaction(work, key); // within another one
      const turn = { ended: false };
      const ending = (): Promise<T> => work().finally(() => (turn.ended = true));
      return turns.run(turn, () => transaction(ending, key));
    });
}
