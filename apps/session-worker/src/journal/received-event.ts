import {
  type Envelope,
  isGroup,
  type MessageBody,
  type MessageMedia,
  MessageReceived,
  type MessageReceivedV1,
  phoneOf,
  type QuotedInbound,
} from '@svc/contracts';
import { eventOf } from '@svc/service';
import { v5 as uuidv5 } from 'uuid';
import type { InboundContent, InboundRecord } from '../platform/messages.js';

/** Namespace of message ids: the same message of the platform always gets the same id. */
const NAMESPACE = '5f1c7c1e-8a53-4f0b-9d3e-0a6a1f6f2b11';

/** A megabyte is the most that NATS takes in one message. */
const MAX_BODY_CHARS = 250_000;
const MAX_MENTIONS = 1_000;

/** Makes the id of a message that a session received. */
export function messageIdOf(sessionId: string, sender: string, keyId: string): string {
  return uuidv5([sessionId, sender, keyId].join('|'), NAMESPACE);
}

/** Makes the event of a journaled message; undefined when the message is nothing for people. */
export function receivedEvent(
  record: InboundRecord,
  session: { id: string; tenantId: string },
): Envelope | undefined {
  if (!record.content) return undefined;
  const messageId = messageIdOf(session.id, record.sender, record.keyId);
  const data = {
    sessionId: session.id,
    messageId,
    remoteJid: record.remoteJid,
    keyId: record.keyId,
    body: bodyOf(record.content),
    pushName: record.pushName,
    phone: phoneOf(record.remoteJid),
    timestamp: new Date(record.sentAt * 1000).toISOString(),
    fromMe: record.fromMe,
    chatId: record.chat,
    isGroup: isGroup(record.chat),
    receivedAt: new Date().toISOString(),
    ...detailsOf(record.content, messageId),
  };
  // The event's id is the message's: a message that is journaled twice is still one event.
  return eventOf(MessageReceived, session.tenantId, data, messageId);
}

/** Lists what some messages have beside their body. The facts of a file are added when it is there (media.service.ts). */
function detailsOf(content: InboundContent, mediaId: string): Partial<MessageReceivedV1> {
  const { change, mentions, quoted } = content;
  return {
    ...(change ? { change } : {}),
    ...(mentions ? { mentions: mentions.slice(0, MAX_MENTIONS) } : {}),
    ...(quoted ? { quoted: quotedOf(quoted) } : {}),
    ...(content.file === 'UNREACHABLE' ? { media: unreachable(content, mediaId) } : {}),
  };
}

function quotedOf({ keyId, author, content }: NonNullable<InboundContent['quoted']>): QuotedInbound {
  return {
    keyId,
    ...(author ? { remoteJid: author } : {}),
    ...(content ? { body: bodyOf(content) } : {}),
  };
}

function unreachable({ body }: InboundContent, mediaId: string): MessageMedia {
  const { mimeType = null } = body.inner ?? body;
  return { mediaId, status: 'FAILED', mimeType, size: null, sha256: null, reason: 'INVALID' };
}

/** Leaves out a body that nobody writes by hand: it is told that there was something, and of which kind. */
function bodyOf({ type, body }: InboundContent): MessageBody {
  if (JSON.stringify(body).length <= MAX_BODY_CHARS) return body;
  return { type: 'unsupported', original: type };
}
