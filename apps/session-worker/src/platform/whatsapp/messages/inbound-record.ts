import { createHash } from 'node:crypto';
import { isGroup, isPerson } from '@svc/contracts';
import type { AuthenticationCreds, SignalRepositoryWithLIDStore } from '@whiskeysockets/baileys';
import type { InboundContent, InboundRecord } from '../../messages.js';
import type { Stanza } from './stanzas.js';
import { addressOf, isOwn, phoneAddress } from './jids.js';
import { type DecodedContent, readContent } from './decoded-content.js';
import { inboundContent } from './message-body.js';

/** Ids of the platform have 32 characters at most; one that no index keeps is named by its hash. */
const MOST_ID_CHARS = 200;
const MOST_NAME_CHARS = 1_000;
/** The last second that JavaScript and PostgreSQL both know as a date. */
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1_000;

/** Under which name the journal keeps what a ciphertext said. */
export interface JournalPlace {
  sender: string;
  keyId: string;
  /** The half of a group message that brings the author's key and nothing for people. */
  isKey: boolean;
}

/** Who can tell addresses apart. */
interface AddressBook {
  credentials: AuthenticationCreds;
  repository: SignalRepositoryWithLIDStore;
}

/**
 * Names a message in the journal by its chat, its author and its id. One of a group comes in two parts, and each may have to be
 * answered from the journal; a resend brings both in one, and takes the place of the part for people.
 */
export function journalPlace({ attrs, content }: Stanza, ciphertext: Uint8Array): JournalPlace {
  const from = addressOf(attrs['from']);
  const keyId = boundedId(attrs['id'] ?? '');
  if (!isGroup(from)) return { sender: from, keyId, isKey: false };
  const common = Array.isArray(content)
    ? (content as Stanza[]).find((part) => part.attrs['type'] === 'skmsg')
    : undefined;
  const isKey = common !== undefined && common.content !== ciphertext;
  const sender = [from, addressOf(attrs['participant']), ...(isKey ? ['key'] : [])].join('|');
  return { sender, keyId, isKey };
}

/** Makes the journal's record of a decrypted message; undefined for what nobody wrote. */
export async function inboundRecord(
  stanza: Stanza,
  plaintext: Uint8Array,
  { sender, keyId, isKey }: JournalPlace,
  book: AddressBook,
): Promise<InboundRecord | undefined> {
  const { attrs } = stanza;
  const { author, phone, chat, chatPhone } = origin(stanza);
  const fromMe = isOwn(author, book.credentials);
  // What the own devices tell each other goes to no chat.
  const isTalk = attrs['category'] !== 'peer' && (chat ? isChat(chat) : !fromMe);
  if (!keyId || !isTalk || !isPerson(author)) return undefined;
  const remoteJid = fromMe ? ownAddress(book) : await phoneAddress(author, phone, book.repository);
  return {
    ...{ sender, keyId, remoteJid, fromMe, plaintext },
    chat: chat ? await phoneAddress(chat, chatPhone, book.repository) : remoteJid,
    ...headersOf(stanza),
    content: isKey ? undefined : await contentFor(plaintext, book),
  };
}

async function contentFor(plaintext: Uint8Array, book: AddressBook): Promise<InboundRecord['content']> {
  const read = readContent(plaintext);
  if (read === 'UNREADABLE') return UNREADABLE;
  const decoded = await withPhones(read, book);
  return decoded && inboundContent(decoded);
}

/** Content of a message of which nothing can be read. */
export const UNREADABLE: InboundContent = {
  type: 'unreadable',
  body: { type: 'unsupported', original: 'unreadable', reason: 'UNREADABLE' },
};

function headersOf({ attrs }: Stanza): Pick<InboundRecord, 'pushName' | 'sentAt'> {
  const sentAt = Number(attrs['t']);
  return {
    pushName: attrs['notify']?.slice(0, MOST_NAME_CHARS) ?? null,
    sentAt: sentAt > 0 && sentAt <= LAST_SECOND ? sentAt : Date.now() / 1_000,
  };
}

function boundedId(id: string): string {
  return id.length <= MOST_ID_CHARS ? id : createHash('sha256').update(id).digest('hex');
}

const ownAddress = ({ credentials }: AddressBook): string => addressOf(credentials.me?.id);
const isChat = (address: string): boolean => isPerson(address) || isGroup(address);

/** Who wrote it, and the chat where that is not the author's; each with its phone address if the stanza tells it. */
interface Origin {
  author: string;
  phone?: string;
  chat?: string;
  chatPhone?: string;
}

function origin({ attrs }: Stanza): Origin {
  const from = addressOf(attrs['from']);
  if (isGroup(from))
    return { author: addressOf(attrs['participant']), phone: attrs['participant_pn'], chat: from };
  // Only what another device of the own number wrote names a recipient.
  const { recipient } = attrs;
  if (recipient) return { author: from, chat: addressOf(recipient), chatPhone: attrs['peer_recipient_pn'] };
  return { author: from, phone: attrs['sender_pn'] };
}

/** Names the people in a content by their phone addresses, as far as they are known. */
async function withPhones(
  content: DecodedContent | undefined,
  book: AddressBook,
): Promise<DecodedContent | undefined> {
  const { quoted, mentions } = content ?? {};
  if (!content || (!quoted && !mentions)) return content;
  return {
    ...content,
    ...(quoted?.author ? { quoted: { ...quoted, author: await phoneOf(quoted.author, book) } } : {}),
    ...(mentions ? { mentions: await Promise.all(mentions.map((jid) => phoneOf(jid, book))) } : {}),
  };
}

async function phoneOf(jid: string, book: AddressBook): Promise<string> {
  // A message may name what is no person's, e.g. a bot.
  const address = addressOf(jid) || jid;
  if (isOwn(address, book.credentials)) return ownAddress(book);
  return phoneAddress(address, undefined, book.repository);
}
