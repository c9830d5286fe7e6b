import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type ConversationOwnerReply,
  type HandoffsReply,
  ListHandoffs,
  ListHandoffsV1,
  SetConversationOwner,
  SetConversationOwnerV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ConversationsService } from './conversations.service.js';

/** This consumer answers requests about who owns a conversation. */
@Controller()
export class ConversationsConsumer {
  constructor(private readonly conversations: ConversationsService) {}

  @OnRequest(SetConversationOwner)
  setOwner(@Payload() request: SetConversationOwnerV1): Promise<ConversationOwnerReply> {
    return this.conversations.setOwner(request);
  }

  @OnRequest(ListHandoffs)
  list(@Payload() request: ListHandoffsV1): Promise<HandoffsReply> {
    return this.conversations.list(request);
  }
}
