import type { AuthenticationCreds, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys';
import type { PlatformStore } from '../../port.js';

/** Name under which the journal has the content of a ciphertext. */
export interface JournalPlace {
  sender: string;
  keyId: string;
  /** The half of a group message that brings the author's key and nothing for people. */
  isKey: boolean;
}

/** Tools that distinguish addresses, and find the messages that a message is about. */
export interface AddressBook {
  credentials: AuthenticationCreds;
  repository: SignalRepositoryWithLIDStore;
  store: Pick<PlatformStore, 'earlyVotes' | 'journaledOf' | 'keepEarlyVote' | 'sent'>;
}
