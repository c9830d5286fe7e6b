import type { PlatformStore } from '../../port.js';

/** By store, what stands for the socket that was opened last. */
const newest = new WeakMap<PlatformStore, object>();

/**
 * Calls `abandon` at every failure of the store. The library goes on after a failed read or write as if the message
 * were at fault: its cache is then ahead of the store, and the platform keeps the message until the next login. A socket writes
 * only until the next one is opened on the same store: that one may have read already what is there.
 */
export function guarded(store: PlatformStore, abandon: () => void): PlatformStore {
  const socket = {};
  newest.set(store, socket);
  const orAbandon = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      abandon();
      throw error;
    });
  return {
    get: (type, ids) => orAbandon(store.get(type, ids)),
    commit: async (changes, inbound) => {
      if (newest.get(store) !== socket) throw new Error('Another socket has been opened since.');
      await orAbandon(store.commit(changes, inbound));
    },
    journaled: (sender, keyId) => orAbandon(store.journaled(sender, keyId)),
    sent: (keyId) => orAbandon(store.sent(keyId)),
  };
}
