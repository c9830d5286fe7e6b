import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  MessageDelivered,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type OutboundMessageV1,
  SessionDeleted,
  type SessionDeletedV1,
  SessionDisconnected,
  type SessionDisconnectedV1,
  SessionLoggedOut,
  type SessionLoggedOutV1,
} from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { HealthService } from './health.service.js';

/** This consumer takes the events of the platform and the contacts about a number. */
@Controller()
export class HealthConsumer {
  constructor(private readonly health: HealthService) {}

  @OnEvent(MessageSent)
  sent(@Payload() { data }: Envelope<OutboundMessageV1>): Promise<void> {
    return this.health.sent(data);
  }

  @OnEvent(MessageDelivered)
  delivered(@Payload() { data }: Envelope<OutboundMessageV1>): Promise<void> {
    return this.health.delivered(data);
  }

  @OnEvent(MessageReceived)
  received(@Payload() event: Envelope<MessageReceivedV1>): Promise<void> {
    return this.health.received(event);
  }

  @OnEvent(SessionDisconnected)
  disconnected(@Payload() event: Envelope<SessionDisconnectedV1>): Promise<void> {
    return this.health.ended(event, 'DISCONNECTED');
  }

  @OnEvent(SessionLoggedOut)
  loggedOut(@Payload() event: Envelope<SessionLoggedOutV1>): Promise<void> {
    return this.health.ended(event, 'LOGGED_OUT');
  }

  @OnEvent(SessionDeleted)
  deleted(@Payload() event: Envelope<SessionDeletedV1>): Promise<void> {
    return this.health.deleted(event);
  }
}
