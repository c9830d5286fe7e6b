import { AsyncLocalStorage } from 'node:async_hooks';
import {
  BufferJSON,
  makeCacheableSignalKeyStore,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import { isOfContent } from '@svc/database';
import { log } from '@svc/service';
import { countUntold } from '../../../untold.js';
import type { InboundRecord } from '../../messages.js';
import type { KeyChange, PlatformStore } from '../../port.js';
import { BoundedCache, quietLogger } from '../library/library-options.js';

const logger = quietLogger();

/** A type of its own in the key store's change set: the library's transaction carries it along to `commit`. */
export const JOURNAL = 'svc-journal';

const CACHE_LIMIT = 2_000;

/** Changes that the library makes at one time: by type, then by id; null deletes. */
type Changes = Record<string, Record<string, unknown> | undefined>;

/** Makes a key store for the library out of ours. */
export function keyStore(store: PlatformStore): SignalKeyStore {
  const inboundOf = new WeakMap<object, InboundRecord[]>();
  // Library patch: absent-keys
  // The library asks for some keys with every message and remembers only those that it gets. Nobody else writes keys, and
  // its cache lets one read or write through at a time: what is not there stays so until it is set here.
  const absent = new BoundedCache(CACHE_LIMIT);
  const cached = makeCacheableSignalKeyStore(
    {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const unknown = ids.filter((id) => !absent.get(`${type}.${id}`));
        const found = unknown.length > 0 ? await store.get(type, unknown) : {};
        for (const id of unknown) if (found[id] === undefined) absent.set(`${type}.${id}`, true);
        const values = Object.entries(found).map(([id, bytes]) => [id, deserialize(bytes, type)]);
        return Object.fromEntries(values) as Record<string, SignalDataTypeMap[T]>;
      },
      set: async (changes) => {
        const all = changesOf(changes as Changes);
        for (const { type, id } of all) absent.del(`${type}.${id}`);
        await store.commit(all, inboundOf.get(changes) ?? []);
      },
    },
    logger,
    // Each of 812 pre-keys is read once, if ever: in the cache they would be half of what an idle session costs.
    new BoundedCache(CACHE_LIMIT, (key) => !key.startsWith('pre-key.')),
  );
  return {
    get: cached.get.bind(cached),
    set: async (changes) => {
      const { [JOURNAL]: journal, ...keys } = changes as Changes;
      inboundOf.set(keys, Object.values(journal ?? {}) as InboundRecord[]);
      await cached.set(keys as SignalDataSet);
    },
  };
}

function changesOf(changes: Changes): KeyChange[] {
  return Object.entries(changes).flatMap(([type, values]) =>
    Object.entries(values ?? {}).map(([id, value]) => ({
      ...{ type, id },
      value: value === null || value === undefined ? null : serialize(value),
    })),
  );
}

/** Writes JSON that keeps the library's buffers. */
export function serialize(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer));
}

/** Reads what `serialize` wrote; `type` restores what JSON alone cannot. */
export function deserialize(bytes: Buffer, type?: string): unknown {
  const value: unknown = JSON.parse(bytes.toString('utf8'), BufferJSON.reviver);
  if (type !== 'app-state-sync-key') return value;
  return proto.Message.AppStateSyncKeyData.fromObject(value as Record<string, unknown>);
}

/** Socket that was opened last, by store. */
const newest = new WeakMap<PlatformStore, object>();

/** The store of one socket. */
export interface GuardedStore extends PlatformStore {
  /** True while somebody waits for the store: what stands still then may be its fault. */
  readonly isBusy: boolean;
}

/**
 * Calls `abandon` at every failure of the store. The library goes on after a failed read or write as if the message
 * were at fault: its cache is then ahead of the store, and the platform keeps the message until the next login. A socket writes
 * only until the next one is opened on the same store: that one may have read already what is there.
 */
export function guarded(store: PlatformStore, abandon: () => void): GuardedStore {
  const socket = {};
  newest.set(store, socket);
  let isAbandoned = false;
  let pending = 0;
  const orAbandon = async <T>(work: Promise<T>): Promise<T> => {
    pending += 1;
    try {
      return await work;
    } catch (error) {
      // A value that the store will never take comes again with every login: there the message is at fault, as the library thinks.
      if (isOfContent(error)) {
        log().error({ err: error }, 'the store refuses what a stanza brought: it is passed over');
        countUntold('refused');
      } else {
        isAbandoned = true;
        abandon();
      }
      throw error;
    } finally {
      pending -= 1;
    }
  };
  return {
    get isBusy() {
      return pending > 0;
    },
    ends: store.ends,
    get: (type, ids) => orAbandon(store.get(type, ids)),
    commit: async (changes, inbound) => {
      if (newest.get(store) !== socket) throw new Error('Another socket has been opened since.');
      // The library's judgement of a message may now follow from a failure to read or write.
      if (isAbandoned) throw new Error('The socket was given up.');
      await orAbandon(store.commit(changes, inbound));
    },
    journaled: (sender, keyId) => orAbandon(store.journaled(sender, keyId)),
    journaledOf: (senders, keyId) => orAbandon(store.journaledOf(senders, keyId)),
    called: (call) => orAbandon(store.called(call)),
    keepEarlyVote: (pollKeyId, vote) => orAbandon(store.keepEarlyVote(pollKeyId, vote)),
    earlyVotes: (pollKeyId) => orAbandon(store.earlyVotes(pollKeyId)),
    sent: (keyId) => orAbandon(store.sent(keyId)),
  };
}

/** The library's key store, as far as it knows transactions. */
interface TransactionalKeys {
  get(...parameters: never[]): unknown;
  set(...parameters: never[]): unknown;
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>;
}

// Library patch: late-writes
/**
 * Lets late work read and write outside of the transaction that it outlives. After a send the library goes on with work of its own
 * that nobody waits for. It still runs in the transaction of the send, which has ended by then: what it writes there is lost, and so
 * it is done anew at every send.
 */
export function keepLateWrites(keys: TransactionalKeys): void {
  const current = new AsyncLocalStorage<{ ended: boolean }>();
  const outside = AsyncLocalStorage.snapshot();
  const { get, set, transaction } = keys;
  const unlessLate = <T>(work: () => T): T => (current.getStore()?.ended ? outside(work) : work());
  keys.get = (...parameters) => unlessLate(() => get(...parameters));
  keys.set = (...parameters) => unlessLate(() => set(...parameters));
  keys.transaction = <T>(work: () => Promise<T>, key: string): Promise<T> =>
    unlessLate(() => {
      if (current.getStore()) return transaction(work, key); // within another one
      const state = { ended: false };
      const ending = (): Promise<T> => work().finally(() => (state.ended = true));
      return current.run(state, () => transaction(ending, key));
    });
}
