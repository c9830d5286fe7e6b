import {
  conversationIdOf,
  type Envelope,
  isGroup,
  type MessageMedia,
  MessageReceived,
  type MessageReceivedV1,
  phoneOf,
  type QuotedInbound,
  type UnsupportedReason,
} from '@svc/contracts';
import { eventOf } from '@svc/service';
import type { InboundContent, InboundRecord } from '../platform/messages.js';
import type { InboundVote } from '../platform/votes.js';
import { locationEvent } from './location-event.js';
import { messageIdOf } from './message-id.js';
import { voteEvent } from './vote-event.js';

/** NATS takes a megabyte in one message, envelope and all. */
const MOST_BYTES = 900_000;
/** A unit of a text in JavaScript has three bytes at most in UTF-8: below this nothing need be counted. */
const SURELY_FITS = MOST_BYTES / 3;

/** Makes the event of a journaled message; undefined when the message is nothing for people. @param at when it came. */
export function receivedEvent(
  record: InboundRecord,
  session: { id: string; tenantId: string },
  at = new Date(),
): Envelope | undefined {
  if (record.vote) return eventOfVote(record, record.vote, session);
  if (record.location) return locationEvent(record, record.location, session);
  if (!record.content) return undefined;
  const event = eventFrom(record, record.content, session, at);
  if (fits(event)) return event;
  // The text of a message goes before the one it answers and the people it names: those are carried only where there is room.
  const { quoted, mentions: _, ...content } = record.content;
  const short = eventFrom(
    record,
    { ...content, ...(quoted ? { quoted: { keyId: quoted.keyId } } : {}) },
    session,
    at,
  );
  return fits(short) ? short : eventFrom(record, contentless(record.content, 'TOO_LARGE'), session, at);
}

/** The times at which messages of one session came: each is later than the one before, also where several come in one millisecond, so that they sort as they came. */
export class Arrivals {
  private last = 0;

  next(): Date {
    this.last = Math.max(Date.now(), this.last + 1);
    return new Date(this.last);
  }
}

/** Makes the event of a vote; a stranger's poll may have options that are too long to tell. */
function eventOfVote(
  record: InboundRecord,
  vote: InboundVote,
  session: { id: string; tenantId: string },
): Envelope {
  const event = voteEvent(record, vote, session);
  if (fits(event)) return event;
  return voteEvent(record, { ...vote, options: [], unknownOptions: vote.options.length }, session);
}

/** Makes of a record one that says that a message came, from whom and when, and nothing of its content. */
export function withoutContent(record: InboundRecord): InboundRecord {
  const content = record.content && contentless(record.content, 'UNREADABLE');
  const vote = record.vote && { ...record.vote, ...{ options: [], unknownOptions: 0, isUnreadable: true } };
  const location = record.location && { ...record.location, liveLocation: {} };
  return { ...record, pushName: null, content, vote, location };
}

function fits(event: Envelope): boolean {
  const json = JSON.stringify(event);
  return json.length < SURELY_FITS || Buffer.byteLength(json) <= MOST_BYTES;
}

function contentless({ type, change }: InboundContent, reason: UnsupportedReason): InboundContent {
  const body = { type: 'unsupported', original: type } as const;
  return { type, body, unsupportedReason: reason, ...(change ? { change } : {}) };
}

function eventFrom(
  record: InboundRecord,
  content: InboundContent,
  session: { id: string; tenantId: string },
  at: Date,
): Envelope {
  const { chat, fromMe } = record;
  const { id: sessionId, tenantId } = session;
  const messageId = messageIdOf(sessionId, record.sender, record.keyId);
  const receivedAt = at.toISOString();
  const data = {
    sessionId,
    messageId,
    ...{ chatId: chat, isGroup: isGroup(chat), fromMe },
    remoteJid: record.remoteJid,
    keyId: record.keyId,
    body: content.body,
    pushName: record.pushName,
    phone: phoneOf(record.remoteJid),
    timestamp: new Date(record.sentAt * 1000).toISOString(),
    receivedAt,
    conversationId: conversationIdOf({ tenantId, sessionId, contact: chat }),
    ...{ id: messageId, contact: chat, createdAt: receivedAt },
    direction: fromMe ? ('OUTBOUND' as const) : ('INBOUND' as const),
    ...detailsOf(content, messageId),
  };
  // The event's id is the message's: a message that is journaled twice is still one event.
  return eventOf(MessageReceived, tenantId, data, messageId);
}

/** Lists what some messages have beside their body. The event of a message with a file waits until its facts are there (`finishMedia` in media-rows.ts). */
function detailsOf(content: InboundContent, mediaId: string): Partial<MessageReceivedV1> {
  // The rest has the names that the event has.
  const { type: _type, body: _body, file, quoted, ...details } = content;
  return {
    ...details,
    ...(quoted ? { quoted: quotedOf(quoted) } : {}),
    ...(file === 'UNREACHABLE' ? { media: unreachable(content, mediaId) } : {}),
  };
}

function quotedOf({ keyId, author, content }: NonNullable<InboundContent['quoted']>): QuotedInbound {
  return {
    keyId,
    ...(author ? { remoteJid: author } : {}),
    ...(content ? { body: content.body } : {}),
  };
}

function unreachable({ body }: InboundContent, mediaId: string): MessageMedia {
  const { mimeType = null } = body.inner ?? body;
  return { mediaId, status: 'FAILED', mimeType, size: null, sha256: null, reason: 'INVALID' };
}
