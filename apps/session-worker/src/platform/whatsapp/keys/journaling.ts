import {
  type AuthenticationCreds,
  DEFAULT_CONNECTION_CONFIG,
  MISSING_KEYS_ERROR_TEXT,
  type SignalDataSet,
  type SignalKeyStoreWithTransaction,
  type SignalRepositoryWithLIDStore,
} from '@whiskeysockets/baileys';
import { log } from '@svc/service';
import type { InboundRecord } from '../../messages.js';
import type { PlatformStore } from '../../port.js';
import { atStep } from '../../../steps.js';
import type { Stanza } from '../stanzas/stanzas.js';
import type { StanzasInHand } from '../messages/stanzas-in-hand.js';
import { groupKeyOf, withoutGroupKey } from './group-keys.js';
import { readContent } from '../content/decoded-content.js';
import type { AddressBook, JournalPlace } from '../stanzas/address-book.js';
import {
  inboundRecord,
  isLeftOut,
  journalPlace,
  NOTHING_SAID,
  unreadRecord,
  UNREADABLE,
} from '../messages/inbound-record.js';
import { earlyVoteRecords } from '../messages/early-votes.js';
import { timerChange } from '../messages/chat-timers.js';
import { JOURNAL, keepLateWrites } from './key-store.js';
import { watchUnread } from './unread.js';

/** Number of resends that the library asks for; the last one says so. */
const MOST_RESENDS = 5;

/** Tools that a journal is written with. */
export interface JournalTools {
  store: PlatformStore;
  inHand: Pick<StanzasInHand, 'decrypt' | 'settle'>;
}

// Library patch: journal-in-decryption
// Library patch: one-lock-of-sessions
/**
 * Journals each message in the library's decryption step. The library acknowledges a message before it hands it over, so a crash in
 * between would lose it. The decryption comes before the receipt: there, plaintext and advanced ratchet go into one transaction (docs/platform-protocol.md, 13).
 */
export function journaling(
  dependencies: Parameters<typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository>,
  credentials: AuthenticationCreds,
  stanzas: WeakMap<Uint8Array, Stanza>,
  { store, inHand }: JournalTools,
): SignalRepositoryWithLIDStore {
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(...dependencies);
  const keys = dependencies[0].keys as SignalKeyStoreWithTransaction;
  keepLateWrites(keys);
  const journal = new Journal({ credentials, repository, store }, keys, { store, inHand });
  const journaled = (ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    const stanza = stanzas.get(ciphertext);
    return stanza ? journal.read(stanza, ciphertext, decrypt) : decrypt();
  };
  return {
    ...repository,
    injectE2ESession: (options) => journal.locked(() => repository.injectE2ESession(options)),
    migrateSession: (from, to) => journal.locked(() => repository.migrateSession(from, to)),
    decryptMessage: (options) => journaled(options.ciphertext, () => repository.decryptMessage(options)),
    decryptGroupMessage: (options) => journaled(options.msg, () => repository.decryptGroupMessage(options)),
  };
}

/** Reads the messages of one socket, each once, and writes them down with the ratchet that they advance. */
class Journal {
  constructor(
    private readonly book: AddressBook,
    private readonly keys: SignalKeyStoreWithTransaction,
    private readonly tools: JournalTools,
  ) {}

  /**
   * Runs work that writes a contact's session record. The library locks sends by the own id, but all else that does by other names: writing
   * and being written to at once would lose ratchet steps, then messages. Here all of them share the lock of the sends.
   */
  locked<T>(work: () => Promise<T>): Promise<T> {
    return this.keys.transaction(work, this.book.credentials.me?.id ?? '');
  }

  /** Decrypts and journals in the transaction of the ratchet; gives the plaintext that the library is to see. */
  async read(
    stanza: Stanza,
    ciphertext: Uint8Array,
    decrypt: () => Promise<Uint8Array>,
  ): Promise<Uint8Array> {
    const place = journalPlace(stanza, ciphertext);
    atStep('in-1');
    if (!place.isKey) this.tools.inHand.settle(stanza);
    try {
      const read = await this.locked(() =>
        this.tools.inHand.decrypt(stanza, async () => {
          const plaintext = await this.takeGroupKey(stanza, await decrypt());
          const record = await inboundRecord(stanza, plaintext, place, this.book);
          if (record) await this.write(record);
          return record?.content === UNREADABLE ? NOTHING_SAID : plaintext;
        }),
      );
      atStep('in-4');
      return read;
    } catch (error) {
      // A stanza that comes again after a crash cannot be decrypted twice: the journal has its content.
      const plaintext = await this.tools.store.journaled(place.sender, place.keyId);
      if (!plaintext) return this.giveUp(stanza, ciphertext, place, error);
      return readContent(plaintext) === 'UNREADABLE' ? NOTHING_SAID : Buffer.from(plaintext);
    }
  }

  /** Journals a message, the votes in it that came before, and the timer of its chat. */
  private async write(record: InboundRecord): Promise<void> {
    const records = [record, ...(await earlyVoteRecords(record, this.book))];
    const named = Object.fromEntries(records.map((one) => [`${one.sender}|${one.keyId}`, one]));
    const timers = await timerChange(this.keys, record);
    await this.keys.set({ ...timers, [JOURNAL]: named } as SignalDataSet);
  }

  /** Takes in the author's key for a group where a message brings one; a key that is none spoils no message. */
  private async takeGroupKey(stanza: Stanza, plaintext: Uint8Array): Promise<Uint8Array> {
    const authorJid = stanza.attrs['participant'];
    const item = authorJid === undefined ? undefined : groupKeyOf(plaintext);
    if (!item || authorJid === undefined) return plaintext;
    try {
      await this.book.repository.processSenderKeyDistributionMessage({ item, authorJid });
    } catch (error) {
      log().warn({ err: error }, 'the key of a group cannot be taken in');
    }
    return withoutGroupKey(plaintext);
  }

  /**
   * Journals a message that could not be read however often it came, or that nobody will ask for again; before that, the library asks for
   * it.
   */
  private async giveUp(
    stanza: Stanza,
    ciphertext: Uint8Array,
    place: JournalPlace,
    error: unknown,
  ): Promise<Uint8Array> {
    const sealed = (stanza.content as Stanza[]).find(({ content }) => content === ciphertext);
    const isLast = Number(sealed?.attrs['count'] ?? 0) >= MOST_RESENDS || isKeyGone(error);
    if (!place.isKey && !isLast) this.watch(stanza, place);
    if (place.isKey || !isLast) throw error;
    const record = await unreadRecord(stanza, place, this.book, UNREADABLE);
    if (!record) throw error;
    log().error({ err: error }, 'a message stays unreadable: it is told without its content');
    await this.tools.store.commit([], [record]);
    return NOTHING_SAID;
  }

  private watch(stanza: Stanza, { sender, keyId }: JournalPlace): void {
    if (isLeftOut(stanza)) return;
    const { store } = this.tools;
    watchUnread(
      stanza,
      this.book.credentials.me?.id ?? '',
      async () => (await store.journaled(sender, keyId)) !== undefined,
    );
  }
}

/** Says whether the key of a message is gone: the library refuses such a message for good, and asks for no other. */
function isKeyGone(error: unknown): boolean {
  return error instanceof Error && error.message === MISSING_KEYS_ERROR_TEXT;
}
