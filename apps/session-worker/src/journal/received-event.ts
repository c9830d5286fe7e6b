import {
  type Envelope,
  type MessageBody,
  type MessageMedia,
  MessageReceived,
  type MessageReceivedV1,
  type QuotedInbound,
} from '@svc/contracts';
import { eventOf } from '@svc/service';
import { v5 as uuidv5 } from 'uuid';
import type { InboundRecord, PlatformContent } from '../platform/port.js';
import { fileReference, hasFile } from '../platform/whatsapp/messages/file-reference.js';
import { toMessageBody } from '../platform/whatsapp/messages/message-body.js';

/** Namespace of message ids: the same message of the platform always gets the same id. */
const NAMESPACE = '5f1c7c1e-8a53-4f0b-9d3e-0a6a1f6f2b11';

/** A megabyte is the most that NATS takes in one message. */
const MOST_BODY_CHARS = 250_000;
const MOST_MENTIONS = 1_000;

/** Id of a message that a session received. */
export function messageIdOf(sessionId: string, sender: string, keyId: string): string {
  return uuidv5([sessionId, sender, keyId].join('|'), NAMESPACE);
}

/** The event of a journaled message; undefined when the message is nothing for people. */
export function receivedEvent(
  record: InboundRecord,
  session: { id: string; tenantId: string },
): Envelope | undefined {
  if (!record.content) return undefined;
  const messageId = messageIdOf(session.id, record.sender, record.keyId);
  const digits = /^(\d+)@s\.whatsapp\.net$/.exec(record.remoteJid)?.[1];
  const data = {
    sessionId: session.id,
    messageId,
    remoteJid: record.remoteJid,
    keyId: record.keyId,
    body: bodyOf(record.content),
    pushName: record.pushName,
    phone: digits ? `+${digits}` : null,
    timestamp: new Date(record.sentAt * 1000).toISOString(),
    fromMe: record.fromMe,
    chatId: record.chat,
    isGroup: record.chat.endsWith('@g.us'),
    receivedAt: new Date().toISOString(),
    ...detailsOf(record.content, messageId),
  };
  // The event's id is the message's: a message that is journaled twice is still one event.
  return eventOf(MessageReceived, session.tenantId, data, messageId);
}

/** What some messages have beside their body. The facts of a file are added when it is there (media.service.ts). */
function detailsOf(content: PlatformContent, mediaId: string): Partial<MessageReceivedV1> {
  const { change, mentions, quoted } = content;
  return {
    ...(change ? { change } : {}),
    ...(mentions ? { mentions: mentions.slice(0, MOST_MENTIONS) } : {}),
    ...(quoted ? { quoted: quotedOf(quoted) } : {}),
    ...(hasFile(content) && !fileReference(content) ? { media: withoutFile(content, mediaId) } : {}),
  };
}

function quotedOf({ keyId, author, content }: NonNullable<PlatformContent['quoted']>): QuotedInbound {
  return {
    keyId,
    ...(author ? { remoteJid: author } : {}),
    ...(content ? { body: bodyOf(content) } : {}),
  };
}

function withoutFile(content: PlatformContent, mediaId: string): MessageMedia {
  const { mimeType = null } = toMessageBody({ ...content, viewOnce: false });
  return { mediaId, status: 'FAILED', mimeType, size: null, sha256: null, reason: 'INVALID' };
}

/** Nobody writes that much by hand: it is told that there was something, and of which kind. */
function bodyOf(content: PlatformContent): MessageBody {
  const body = toMessageBody(content);
  if (JSON.stringify(body).length <= MOST_BODY_CHARS) return body;
  return { type: 'unsupported', original: content.type };
}
