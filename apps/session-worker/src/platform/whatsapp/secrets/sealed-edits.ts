import { isGroup } from '@svc/contracts';
import { proto } from '@whiskeysockets/baileys';
import { type DecodedContent, editedContent } from '../content/decoded-content.js';
import type { AddressBook } from '../stanzas/address-book.js';
import { addressOf } from '../stanzas/jids.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { isOwnStanza, writersOf } from './writers.js';
import { opened } from './opening.js';
import { derivedSecret, secretsIn } from './secret-of.js';

/**
 * Reads an edit that is sealed by the secret of the message that it changes; one that nothing opens stays an edit of which the words are
 * missing. Only who wrote a message edits it: the secret is looked for among theirs.
 */
export async function withSealedEdit(
  decoded: DecodedContent,
  stanza: Stanza,
  book: AddressBook,
): Promise<DecodedContent> {
  const { sealed, change } = decoded;
  if (!sealed || !change) return decoded;
  const writers = await writersOf(stanza, book);
  const secrets = await secretsOf(stanza, { writers, keyId: change.keyId }, book);
  const words = opened(sealed, { secrets, authors: writers, writers });
  return (words && editOf(words, change)) ?? decoded;
}

async function secretsOf(
  stanza: Stanza,
  { writers, keyId }: { writers: string[]; keyId: string },
  { store, credentials }: AddressBook,
): Promise<Uint8Array[]> {
  const from = addressOf(stanza.attrs['from']);
  const isApart = isGroup(from) || addressOf(stanza.attrs['participant']) !== '';
  const senders = isApart ? writers.map((writer) => `${from}|${writer}`) : writers;
  const journaled = await store.journaledOf(senders, keyId);
  const secrets = journaled ? secretsIn(journaled.plaintext) : [];
  if (!isOwnStanza(stanza, credentials)) return secrets;
  const sent = await store.sent(keyId);
  if (!sent) return secrets;
  const own = sent.secret ? [sent.secret] : [];
  return [...secrets, ...own, derivedSecret(credentials.advSecretKey, keyId)];
}

/** Reads the words of an edit: a message that has the edit inside, or the new message itself. */
function editOf(
  words: Uint8Array,
  change: NonNullable<DecodedContent['change']>,
): DecodedContent | undefined {
  try {
    const message = proto.Message.decode(words);
    const edited = editedContent(message.protocolMessage?.editedMessage ?? message);
    return edited && { ...edited, change };
  } catch {
    return undefined;
  }
}
