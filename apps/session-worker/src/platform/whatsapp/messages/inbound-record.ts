import { isGroup, isPerson, parseAddress } from '@svc/contracts';
import { log } from '@svc/service';
import { type AuthenticationCreds, encodeWAMessage } from '@whiskeysockets/baileys';
import { countUntold } from '../../../untold.js';
import type { InboundContent, InboundRecord } from '../../messages.js';
import type { Stanza } from '../stanzas/stanzas.js';
import type { AddressBook, JournalPlace } from '../stanzas/address-book.js';
import { addressOf, boundedId, isOwn, phoneAddress } from '../stanzas/jids.js';
import { type DecodedContent, readContent } from '../content/decoded-content.js';
import { laterLocationIn } from '../content/live-location.js';
import { inboundContent } from '../content/message-body.js';
import { voteIn } from '../secrets/poll-votes.js';
import { withSealedEdit } from '../secrets/sealed-edits.js';
import { countContent } from '../unhandled/content-names.js';

const MOST_NAME_CHARS = 1_000;
/** The last second that JavaScript and PostgreSQL both know as a date. */
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1_000;

/**
 * Names a message in the journal by its chat, its author and its id. One of a group comes in two parts, and each may have to be
 * answered from the journal; a resend brings both in one, and takes the place of the part for people.
 */
export function journalPlace({ attrs, content }: Stanza, ciphertext: Uint8Array): JournalPlace {
  const from = addressOf(attrs['from']);
  const keyId = boundedId(attrs['id'] ?? '');
  const participant = addressOf(attrs['participant']);
  if (!isGroup(from)) return { sender: participant ? `${from}|${participant}` : from, keyId, isKey: false };
  const common = Array.isArray(content)
    ? (content as Stanza[]).find((part) => part.attrs['type'] === 'skmsg')
    : undefined;
  const isKey = common !== undefined && common.content !== ciphertext;
  const sender = [from, participant, ...(isKey ? ['key'] : [])].join('|');
  return { sender, keyId, isKey };
}

/** Words of a message: a content, a vote, or a later location; nothing for people. Besides, the timer of its chat. */
type Said = Partial<Pick<InboundRecord, 'content' | 'vote' | 'location' | 'timer'>>;

/** Makes the journal's record of a decrypted message; undefined for a stanza that no person wrote. */
export function inboundRecord(
  stanza: Stanza,
  plaintext: Uint8Array,
  place: JournalPlace,
  book: AddressBook,
): Promise<InboundRecord | undefined> {
  const said = async () => (place.isKey ? {} : saidIn({ stanza, place }, plaintext, book));
  return recordOf(stanza, place, book, { plaintext, said });
}

/** Makes the journal's record of a message that cannot be read; undefined for a stanza that no person wrote. */
export function unreadRecord(
  stanza: Stanza,
  place: JournalPlace,
  book: AddressBook,
  content: InboundContent,
): Promise<InboundRecord | undefined> {
  return recordOf(stanza, place, book, { plaintext: NOTHING_SAID, said: async () => ({ content }) });
}

async function recordOf(
  stanza: Stanza,
  { sender, keyId }: JournalPlace,
  book: AddressBook,
  { plaintext, said }: { plaintext: Uint8Array; said: () => Promise<Said> },
): Promise<InboundRecord | undefined> {
  const { attrs } = stanza;
  const { author, phone, chat, chatPhone } = origin(stanza, book.credentials);
  const fromMe = isOwn(author, book.credentials);
  if (!keyId || !isTalk(attrs['category'], chat, fromMe) || !isPerson(author)) {
    if (!isLeftOut(stanza)) {
      log().warn(kindsIn(stanza), 'a message of no known kind of address is not told');
      countUntold('address');
    }
    return undefined;
  }
  const remoteJid = fromMe ? ownAddress(book) : await phoneAddress(author, phone, book.repository);
  return {
    ...{ sender, keyId, remoteJid, fromMe, plaintext },
    chat: chat ? await phoneAddress(chat, chatPhone, book.repository) : remoteJid,
    ...headersOf(stanza),
    content: undefined,
    ...(await said()),
  };
}

/** Says whether a message goes to a chat: those that the own devices send each other go to none. */
function isTalk(category: string | undefined, chat: string | undefined, fromMe: boolean): boolean {
  return category !== 'peer' && (chat ? isChat(chat) : !fromMe);
}

/** Says whether a stanza is left out on purpose: a status, a newsletter, or a message among the own devices. */
export function isLeftOut({ attrs: { from, category } }: Stanza): boolean {
  const kind = parseAddress(from)?.kind;
  return category === 'peer' || kind === 'newsletter' || (kind === 'broadcast' && !isBroadcastList(from));
}

/** Says whether a stanza is a status: what somebody shows to all contacts for a day. */
export const isStatus = ({ attrs: { from } }: Stanza): boolean =>
  parseAddress(from)?.kind === 'broadcast' && !isBroadcastList(from);

/** Says whether an address is a list of people, and not the one of statuses. */
function isBroadcastList(from: string | undefined): boolean {
  const { kind, user } = parseAddress(from) ?? {};
  return kind === 'broadcast' && user !== 'status';
}

/** Lists the domains of the addresses of a stanza: for the log, which names no person. */
export function kindsIn({ attrs }: Stanza): Record<string, string | undefined> {
  const domainOf = (name: string): string | undefined => attrs[name]?.slice(attrs[name].indexOf('@'));
  return { from: domainOf('from'), participant: domainOf('participant'), recipient: domainOf('recipient') };
}

async function saidIn(
  where: { stanza: Stanza; place: JournalPlace },
  plaintext: Uint8Array,
  book: AddressBook,
): Promise<Said> {
  const read = readContent(plaintext);
  if (read === 'UNREADABLE') return { content: UNREADABLE };
  if (read === undefined) {
    countContent(plaintext, undefined);
    return {};
  }
  if (read.setting) return { timer: read.setting };
  if (read.vote) return votedIn(read, where, book);
  const location = laterLocationIn(read);
  if (location) return { location, timer: read.timer };
  const decoded = await withPhones(await withSealedEdit(read, where.stanza, book), book);
  const content = decoded && inboundContent(decoded);
  if (!content || isUnsupported(content)) countContent(plaintext, content?.type);
  return { content, timer: read.timer };
}

async function votedIn(
  read: DecodedContent,
  where: { stanza: Stanza; place: JournalPlace },
  book: AddressBook,
): Promise<Said> {
  const vote = await voteIn(read, where, book);
  return vote ? { vote: { ...vote, pollAuthor: await phoneOf(vote.pollAuthor, book) } } : {};
}

/** Says whether people hear no more of a content than that it was there, though nobody withholds it. */
function isUnsupported({ body, unsupportedReason }: InboundContent): boolean {
  const inner = body.type === 'view_once' ? body.inner : body;
  return inner?.type === 'unsupported' && unsupportedReason === undefined;
}

/** The message that says nothing, padded. The library is given it for one that nobody can read: it would ask for that again, and never confirm it. */
export const NOTHING_SAID = encodeWAMessage({});

/** Content of a message of which nothing can be read. */
export const UNREADABLE: InboundContent = {
  type: 'unreadable',
  body: { type: 'unsupported', original: 'unreadable' },
  unsupportedReason: 'UNREADABLE',
};

function headersOf({ attrs }: Stanza): Pick<InboundRecord, 'pushName' | 'sentAt'> {
  const sentAt = Number(attrs['t']);
  return {
    pushName: attrs['notify']?.slice(0, MOST_NAME_CHARS) ?? null,
    sentAt: sentAt > 0 && sentAt <= LAST_SECOND ? sentAt : Date.now() / 1_000,
  };
}

const ownAddress = ({ credentials }: AddressBook): string => addressOf(credentials.me?.id);
const isChat = (address: string): boolean => isPerson(address) || isGroup(address);

/** Author of a message, and the chat where that is not the author's; each with its phone address if the stanza names it. */
interface Origin {
  author: string;
  phone?: string;
  chat?: string;
  chatPhone?: string;
}

function origin({ attrs }: Stanza, credentials: AuthenticationCreds): Origin {
  const from = addressOf(attrs['from']);
  if (isGroup(from))
    return { author: addressOf(attrs['participant']), phone: attrs['participant_pn'], chat: from };
  // A message to a list of people stands in the chat with its author, as on the author's phone.
  if (isBroadcastList(from) && attrs['participant'])
    return { author: addressOf(attrs['participant']), phone: attrs['participant_pn'] };
  // A recipient says something only in a message that another device of the own number wrote.
  const { recipient } = attrs;
  if (recipient && isOwn(from, credentials))
    return { author: from, chat: addressOf(recipient), chatPhone: attrs['peer_recipient_pn'] };
  return { author: from, phone: attrs['sender_pn'] };
}

/** Replaces the addresses of people in a content by their phone addresses, where the session has them. */
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
    ...(mentions?.some((jid) => isOwn(addressOf(jid), book.credentials)) ? { mentionsMe: true } : {}),
  };
}

async function phoneOf(jid: string, book: AddressBook): Promise<string> {
  // A message may name what is no person's, e.g. a bot.
  const address = addressOf(jid) || jid;
  if (isOwn(address, book.credentials)) return ownAddress(book);
  return phoneAddress(address, undefined, book.repository);
}
