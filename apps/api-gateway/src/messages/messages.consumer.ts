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
import { MessagesRepository } from './messages.repository.js';
import type { TimedState } from './timeline.js';

/** What becomes of messages, as the session worker tells it, and whether there are any. */
@Controller()
export class MessagesConsumer {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly conversations: MessagesService,
  ) {}

  @OnEvent(MessageSent)
  sent(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.advance(event, 'SENT');
  }

  @OnEvent(MessageDelivered)
  delivered(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.advance(event, 'DELIVERED');
  }

  @OnEvent(MessageRead)
  read(@Payload() event: Envelope<OutboundMessageV1>): Promise<void> {
    return this.advance(event, 'READ');
  }

  @OnEvent(MessageFailed)
  failed(@Payload() event: Envelope<MessageFailedV1>): Promise<void> {
    return this.advance(event, 'FAILED');
  }

  @OnEvent(MessageReceived)
  received(@Payload() event: Envelope<MessageReceivedV1>): Promise<void> {
    return this.conversations.received(event);
  }

  @OnRequest(FindMessages)
  async find(@Payload() { jobIds }: FindMessagesV1): Promise<FoundMessages> {
    return { jobIds: await this.messages.existing(jobIds) };
  }

  private advance(
    { tenantId, data }: Envelope<OutboundMessageV1 & Partial<MessageFailedV1>>,
    status: TimedState,
  ): Promise<void> {
    const { jobId, keyId, failure = null } = data;
    const at = new Date(data.timestamp);
    return this.messages.advance({ tenantId, jobId, keyId, status, failure, at });
  }
}
