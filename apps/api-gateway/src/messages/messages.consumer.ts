import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  FindMessages,
  FindMessagesV1,
  type FoundMessages,
  MessageDelivered,
  MessageFailed,
  type MessageFailedV1,
  MessageRead,
  MessageReceived,
  type MessageReceivedV1,
  MessageSent,
  type OutboundMessageV1,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { MessagesService } from './messages.service.js';

/** This consumer takes the events of messages from the session worker, and answers `limits` which jobs have one. */
@Controller()
export class MessagesConsumer {
  constructor(private readonly messages: MessagesService) {}

  @OnEvent(MessageSent)
  sent(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.messages.advance(event, 'SENT');
  }

  @OnEvent(MessageDelivered)
  delivered(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.messages.advance(event, 'DELIVERED');
  }

  @OnEvent(MessageRead)
  read(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.messages.advance(event, 'READ');
  }

  @OnEvent(MessageFailed)
  failed(@Payload() event: Envelope<MessageFailedV1>): Promise<void> {
    return this.messages.advance(event, 'FAILED');
  }

  @OnEvent(MessageReceived)
  received(@Payload() event: Envelope<MessageReceivedV1>): Promise<void> {
    return this.messages.received(event);
  }

  @OnRequest(FindMessages)
  async find(@Payload() { jobIds }: FindMessagesV1): Promise<FoundMessages> {
    return { jobIds: await this.messages.existing(jobIds) };
  }
}
