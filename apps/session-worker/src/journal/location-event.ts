import { type Envelope, isGroup, MessageLiveLocation, phoneOf } from '@svc/contracts';
import { eventOf } from '@svc/service';
import type { InboundLocation, InboundRecord } from '../platform/messages.js';
import { messageIdOf } from './message-id.js';

/** Makes the event of a later location of somebody on the way. */
export function locationEvent(
  record: InboundRecord,
  location: InboundLocation,
  session: { id: string; tenantId: string },
): Envelope {
  const messageId = messageIdOf(session.id, record.sender, record.keyId);
  const data = {
    ...{ sessionId: session.id, messageId },
    ...{ remoteJid: record.remoteJid, phone: phoneOf(record.remoteJid), pushName: record.pushName },
    ...{ chatId: record.chat, isGroup: isGroup(record.chat), fromMe: record.fromMe },
    ...location,
    timestamp: new Date(record.sentAt * 1000).toISOString(),
  };
  return eventOf(MessageLiveLocation, session.tenantId, data, messageId);
}
