import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  MessageDelivered,
  MessageReceived,
  type MessageReceivedV1,
  type OutboundMessageV1,
  SessionDeleted,
  type SessionDeletedV1,
  SessionDisconnected,
  type SessionEndedV1,
  SessionLoggedOut,
  type StatusReason,
} from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { HealthRepository, type Mishap } from './health.repository.js';

/** Ends of a connection that say nothing of the number: somebody wished it, or it is our own doing. */
const PLANNED: ReadonlySet<StatusReason> = new Set([
  ...(['USER_REQUEST', 'LOGOUT_REQUESTED', 'CONNECT_REQUESTED', 'QR_EXPIRED', 'PROXY_CHANGED'] as const),
  ...(['MAINTENANCE', 'WORKER_LOST', 'RESTART_REQUIRED', 'CREDENTIALS_UNREADABLE'] as const),
]);

/** What the platform and the contacts say of a number. */
@Controller()
export class HealthConsumer {
  constructor(private readonly health: HealthRepository) {}

  @OnEvent(MessageDelivered)
  delivered(@Payload() { data }: Envelope<OutboundMessageV1>): Promise<void> {
    return this.health.progress(data.jobId, 'DELIVERED', data.to);
  }

  @OnEvent(MessageReceived)
  async received(@Payload() { tenantId, data }: Envelope<MessageReceivedV1>): Promise<void> {
    if (data.fromMe) return;
    await this.health.replied(tenantId, data.sessionId, data.chatId ?? data.remoteJid);
  }

  @OnEvent(SessionDisconnected)
  disconnected(@Payload() event: Envelope<SessionEndedV1>): Promise<void> {
    return this.ended(event, 'DISCONNECTED');
  }

  @OnEvent(SessionLoggedOut)
  loggedOut(@Payload() event: Envelope<SessionEndedV1>): Promise<void> {
    return this.ended(event, 'LOGGED_OUT');
  }

  @OnEvent(SessionDeleted)
  deleted(@Payload() { tenantId, data }: Envelope<SessionDeletedV1>): Promise<void> {
    return this.health.end(tenantId, data.sessionId);
  }

  private async ended(
    { id: eventId, tenantId, data }: Envelope<SessionEndedV1>,
    kind: Mishap['kind'],
  ): Promise<void> {
    if (PLANNED.has(data.reason)) return;
    // A number that the platform refuses is banned, whatever ended its connection.
    const worst = data.reason === 'PLATFORM_REFUSED' ? 'LOGGED_OUT' : kind;
    await this.health.mishap({ eventId, tenantId, sessionId: data.sessionId, kind: worst });
  }
}
