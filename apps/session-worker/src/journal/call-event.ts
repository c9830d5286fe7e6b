import { CallReceived, conversationIdOf, type Envelope, phoneOf } from '@svc/contracts';
import { eventOf } from '@svc/service';
import type { InboundCall } from '../platform/calls.js';
import { messageIdOf } from './message-id.js';

/** The last second that JavaScript and PostgreSQL both know as a date. */
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1_000;

/** Makes the event of a call. However often the platform announces the call, it is one event. */
export function callEvent(call: InboundCall, session: { id: string; tenantId: string }): Envelope {
  const { id, remoteJid, isVideo, group, isRinging, at } = call;
  const seconds = at > 0 && at <= LAST_SECOND ? at : Date.now() / 1_000;
  const { id: sessionId, tenantId } = session;
  const chatId = group ?? remoteJid;
  const data = {
    sessionId,
    callId: id,
    ...{ chatId, conversationId: conversationIdOf({ tenantId, sessionId, contact: chatId }) },
    ...{ remoteJid, phone: phoneOf(remoteJid), isVideo, isGroup: group !== undefined },
    state: isRinging ? ('RINGING' as const) : ('MISSED' as const),
    timestamp: new Date(seconds * 1_000).toISOString(),
  };
  return eventOf(CallReceived, tenantId, data, messageIdOf(sessionId, 'call', id));
}
