import {
  makeCacheableSignalKeyStore,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import { BoundedCache } from '../bounded-cache.js';
import { quietLogger } from '../library-logger.js';
import type { InboundRecord, KeyChanges, PlatformStore } from '../platform.js';

const logger = quietLogger();

/** A type of its own in the key store's change set: the library's transaction carries it along to `commit`. */
export const JOURNAL = 'svc-journal';

/** The store as the library wants it. */
export function keyStore(store: PlatformStore): SignalKeyStore {
  const inboundOf = new WeakMap<object, InboundRecord[]>();
  const cached = makeCacheableSignalKeyStore(
    {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
        (await store.get(type, ids)) as Record<string, SignalDataTypeMap[T]>,
      set: (changes) => store.commit(changes as KeyChanges, inboundOf.get(changes) ?? []),
    },
    logger,
    // Of 812 pre-keys each is read once, if ever: in the cache they would be half of what a session at rest costs.
    new BoundedCache(2_000, (key) => !key.startsWith('pre-key.')),
  );
  return {
    get: cached.get.bind(cached),
    set: async (changes) => {
      const { [JOURNAL]: journal, ...keys } = changes as KeyChanges;
      inboundOf.set(keys, Object.values(journal ?? {}) as InboundRecord[]);
      await cached.set(keys as SignalDataSet);
    },
  };
}
