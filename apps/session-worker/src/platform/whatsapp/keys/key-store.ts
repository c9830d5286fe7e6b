import {
  makeCacheableSignalKeyStore,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import { BoundedCache } from './bounded-cache.js';
import { quietLogger } from '../socket/library-logger.js';
import type { InboundRecord, KeyChanges, PlatformStore } from '../../port.js';

const logger = quietLogger();

/** A type of its own in the key store's change set: the library's transaction carries it along to `commit`. */
export const JOURNAL = 'svc-journal';

const MOST_REMEMBERED = 2_000;

/** The store as the library wants it. */
export function keyStore(store: PlatformStore): SignalKeyStore {
  const inboundOf = new WeakMap<object, InboundRecord[]>();
  // The library asks for some keys with every message and remembers only those that it gets. Nobody else writes keys, and
  // its cache lets one read or write through at a time: what is not there stays so until it is set here.
  const absent = new BoundedCache(MOST_REMEMBERED);
  const cached = makeCacheableSignalKeyStore(
    {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const asked = ids.filter((id) => !absent.get(`${type}.${id}`));
        const found = asked.length > 0 ? await store.get(type, asked) : {};
        for (const id of asked) if (found[id] === undefined) absent.set(`${type}.${id}`, true);
        return found as Record<string, SignalDataTypeMap[T]>;
      },
      set: (changes) => {
        for (const [type, values] of Object.entries(changes))
          for (const id of Object.keys(values)) absent.del(`${type}.${id}`);
        return store.commit(changes as KeyChanges, inboundOf.get(changes) ?? []);
      },
    },
    logger,
    // Of 812 pre-keys each is read once, if ever: in the cache they would be half of what a session at rest costs.
    new BoundedCache(MOST_REMEMBERED, (key) => !key.startsWith('pre-key.')),
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
