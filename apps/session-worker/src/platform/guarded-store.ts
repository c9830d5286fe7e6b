import type { PlatformStore } from './platform.js';

/** The store as one socket sees it. */
export interface GuardedStore extends PlatformStore {
  /** The socket is gone: from now on it writes nothing. The next one may have read what is there already. */
  close(): void;
}

/**
 * The store, with every failure told to `abandon`. The library goes on after a failed read or write as if the message
 * were at fault: its cache is then ahead of the store, and the platform keeps the message until the next login.
 */
export function guarded(store: PlatformStore, abandon: () => void): GuardedStore {
  let closed = false;
  const orAbandon = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      abandon();
      throw error;
    });
  return {
    get: (type, ids) => orAbandon(store.get(type, ids)),
    commit: async (changes, inbound) => {
      if (closed) throw new Error('The socket is closed.');
      await orAbandon(store.commit(changes, inbound));
    },
    journaled: (sender, keyId) => orAbandon(store.journaled(sender, keyId)),
    sent: (keyId) => orAbandon(store.sent(keyId)),
    close: () => {
      closed = true;
    },
  };
}
