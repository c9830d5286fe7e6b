import {
  DEFAULT_CONNECTION_CONFIG,
  isLidUser,
  isPnUser,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import { keepLateWrites } from '../late-writes.js';
import type { InboundRecord, PlatformStore } from '../platform.js';
import type { Stanza } from '../stanzas.js';
import { isOwn, phoneAddress, senderOf } from './addresses.js';
import { contentOf } from './content.js';
import type { Credentials } from './credentials.js';
import { JOURNAL } from './key-store.js';

/**
 * The library acknowledges a message before it hands it over, so a crash in between would lose it. Its decryption step
 * comes before the receipt: there, plaintext and advanced ratchet go into one transaction (docs/platform-protocol.md, 13).
 */
export function journaling(
  dependencies: Parameters<typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository>,
  credentials: Credentials,
  stanzas: WeakMap<Uint8Array, Stanza>,
  store: PlatformStore,
): SignalRepositoryWithLIDStore {
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(...dependencies);
  const keys = dependencies[0].keys as SignalKeyStoreWithTransaction;
  keepLateWrites(keys);
  // The library locks sends by the own id, but all else that writes a contact's session record by other names: writing
  // and being written to at once would lose ratchet steps, then messages. Here all of them share the lock of the sends.
  const locked = <T>(work: () => Promise<T>): Promise<T> => keys.transaction(work, credentials.me?.id ?? '');
  return {
    ...repository,
    injectE2ESession: (options) => locked(() => repository.injectE2ESession(options)),
    migrateSession: (from, to) => locked(() => repository.migrateSession(from, to)),
    decryptMessage: async (options) => {
      const stanza = stanzas.get(options.ciphertext);
      try {
        return await locked(async () => {
          const plaintext = await repository.decryptMessage(options);
          const record = stanza && (await inboundRecord(stanza, plaintext, credentials, repository));
          if (record) await keys.set({ [JOURNAL]: { [record.keyId]: record } } as SignalDataSet);
          return plaintext;
        });
      } catch (error) {
        // A stanza that comes again after a crash cannot be decrypted twice: the journal knows what it said.
        const known =
          stanza && (await store.journaled(senderOf(stanza.attrs['from']), stanza.attrs['id'] ?? ''));
        if (!known) throw error;
        return Buffer.from(known);
      }
    },
  };
}

async function inboundRecord(
  { attrs }: Stanza,
  plaintext: Uint8Array,
  credentials: Credentials,
  repository: SignalRepositoryWithLIDStore,
): Promise<InboundRecord | undefined> {
  const sender = senderOf(attrs['from']);
  if (!attrs['id'] || attrs['category'] === 'peer' || isOwn(sender, credentials)) return undefined;
  if (!isPnUser(sender) && !isLidUser(sender)) return undefined;
  return {
    sender,
    keyId: attrs['id'],
    remoteJid: await phoneAddress(sender, attrs['sender_pn'], repository),
    pushName: attrs['notify'] ?? null,
    sentAt: Number(attrs['t'] ?? 0),
    plaintext,
    content: contentOf(plaintext),
  };
}
