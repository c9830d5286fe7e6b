import {
  type Envelope,
  type EventContract,
  SessionConnected,
  type SessionEndedV1,
  SessionQrGenerated,
  type StatusReason,
} from '@svc/contracts';
import { eventOf } from '../outbox/outbox.service.js';

/** Whose events they are. */
interface Who {
  id: string;
  tenantId: string;
}

/** The session is live; `phone` in E.164 form. */
export function connectedEvent({ id, tenantId }: Who, phone: string): Envelope {
  return eventOf(SessionConnected, tenantId, { sessionId: id, phone, timestamp: now() });
}

/** There is a QR code to scan. */
export function qrEvent({ id, tenantId }: Who, qr: string, expiresAt: Date): Envelope {
  const data = { sessionId: id, qr, expiresAt: expiresAt.toISOString(), timestamp: now() };
  return eventOf(SessionQrGenerated, tenantId, data);
}

/** The session is disconnected or logged out. */
export function endedEvent(
  contract: EventContract<SessionEndedV1>,
  { id, tenantId }: Who,
  phone: string | null,
  reason: StatusReason,
): Envelope {
  return eventOf(contract, tenantId, { sessionId: id, phone, reason, timestamp: now() });
}

const now = (): string => new Date().toISOString();
