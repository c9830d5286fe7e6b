import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type OutboundMessageV1,
  SessionModeChanged,
  type SessionModeChangedV1,
} from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { InboundService } from './inbound.service.js';

/** This consumer hears what is written in conversations, and who answers them. */
@Controller()
export class InboundConsumer {
  constructor(private readonly inbound: InboundService) {}

  @OnEvent(MessageReceived)
  take(@Payload() event: Envelope<MessageReceivedV1>): Promise<void> {
    return this.inbound.take(event);
  }

  @OnEvent(MessageSent)
  sent(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.inbound.noteSent(event);
  }

  @OnEvent(SessionModeChanged)
  modeChanged(@Payload() event: Envelope<SessionModeChangedV1>): Promise<void> {
    return this.inbound.noteMode(event);
  }
}
