import { createHash } from 'node:crypto';
import { isGroup, isHidden } from '@svc/contracts';
import { proto } from '@whiskeysockets/baileys';
import type { InboundVote, PollPlace } from '../../votes.js';
import { type DecodedContent, readContent } from '../content/decoded-content.js';
import type { AddressBook, JournalPlace } from '../stanzas/address-book.js';
import { addressOf, boundedId } from '../stanzas/jids.js';
import { toMessageBody } from '../content/message-body.js';
import type { Stanza } from '../stanzas/stanzas.js';
import { opened } from './opening.js';
import { derivedSecret, secretsIn } from './secret-of.js';
import { addressesOf, ownAddresses, writersOf } from './writers.js';

/** A poll that was voted in. */
interface Poll {
  place: PollPlace;
  author: string;
  secrets: Uint8Array[];
  options: string[];
}

/** Reads a vote in a poll; undefined where the poll has not come: the vote is kept until it does. */
export async function voteIn(
  { vote, sealed }: DecodedContent,
  { stanza, place }: { stanza: Stanza; place: JournalPlace },
  book: AddressBook,
): Promise<InboundVote | undefined> {
  if (!vote || !sealed) return undefined;
  const pollKeyId = boundedId(sealed.id);
  const writers = await writersOf(stanza, book);
  const named = await addressesOf([addressOf(vote.participant)], book.repository);
  const authors = [...new Set([...named, ...writers, ...ownAddresses(book.credentials)])];
  const poll = await pollOf(pollKeyId, addressOf(stanza.attrs['from']), authors, book);
  if (!poll) {
    const { sender, keyId } = place;
    await book.store.keepEarlyVote(pollKeyId, { sender, keyId, attrs: stanza.attrs });
    return undefined;
  }
  const words = opened(sealed, { secrets: poll.secrets, authors, writers });
  return {
    ...{ poll: poll.place, pollKeyId, pollAuthor: poll.author },
    ...choices(words, poll.options),
    at: vote.at,
    hidden: writers.find(isHidden),
  };
}

async function pollOf(
  keyId: string,
  chat: string,
  authors: string[],
  { store, credentials }: AddressBook,
): Promise<Poll | undefined> {
  const sent = await store.sent(keyId);
  if (sent) {
    const own = sent.secret ? [sent.secret] : [];
    const secrets = [...own, derivedSecret(credentials.advSecretKey, keyId)];
    const [author = ''] = ownAddresses(credentials);
    return {
      ...{ place: { jobId: sent.jobId }, author, secrets },
      options: sent.content.poll?.options ?? [],
    };
  }
  const senders = isGroup(chat) ? authors.map((author) => `${chat}|${author}`) : authors;
  const journaled = await store.journaledOf(senders, keyId);
  if (!journaled) return undefined;
  const { sender, plaintext } = journaled;
  const author = sender.split('|').at(-1) ?? sender;
  return {
    ...{ place: { sender, keyId }, author, secrets: secretsIn(plaintext) },
    options: optionsIn(plaintext),
  };
}

function optionsIn(plaintext: Uint8Array): string[] {
  const poll = readContent(plaintext);
  return (typeof poll === 'object' ? toMessageBody(poll).options : undefined) ?? [];
}

/** Finds the options whose hashes a vote names: a poll that has changed has others than it had. */
function choices(
  words: Uint8Array | undefined,
  options: string[],
): Pick<InboundVote, 'options' | 'unknownOptions' | 'isUnreadable'> {
  const chosen = words && hashesIn(words);
  if (!chosen) return { options: [], unknownOptions: 0, isUnreadable: true };
  const known = options.filter((option) => chosen.has(createHash('sha256').update(option).digest('hex')));
  const names = [...new Set(known)];
  return { options: names, unknownOptions: Math.max(0, chosen.size - names.length), isUnreadable: false };
}

function hashesIn(words: Uint8Array): Set<string> | undefined {
  try {
    const { selectedOptions } = proto.Message.PollVoteMessage.decode(words);
    return new Set(selectedOptions.map((hash) => Buffer.from(hash).toString('hex')));
  } catch {
    return undefined;
  }
}
