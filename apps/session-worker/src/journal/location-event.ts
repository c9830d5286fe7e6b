import { conversationIdOf, type Envelope, isGroup, MessageLiveLocation, phoneOf } from '@svc/contracts';
import { eventOf } from '@svc/service';
import type { InboundLocation, InboundRecord } from '../platform/messages.js';
import { messageIdOf } from './message-id.js';

/** Makes the event of a later location of somebody on the way. */
export function locationEvent(
  record: InboundRecord,
  location: InboundLocation,
  session: { id: string; tenantId: string },
): Envelope {
  const { id: sessionId, tenantId } = session;
  const messageId = messageIdOf(sessionId, record.sender, record.keyId);
  const data = {
    ...{ sessionId, messageId },
    ...{ chatId: record.chat, isGroup: isGroup(record.chat), fromMe: record.fromMe },
    ...{ remoteJid: record.remoteJid, phone: phoneOf(record.remoteJid), pushName: record.pushName },
    conversationId: conversationIdOf({ tenantId, sessionId, contact: record.chat }),
    ...location,
    timestamp: new Date(record.sentAt * 1000).toISOString(),
  };
  return eventOf(MessageLiveLocation, tenantId, data, messageId);
}
