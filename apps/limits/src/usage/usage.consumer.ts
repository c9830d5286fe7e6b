import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CountMessages,
  CountMessagesV1,
  GiveBackLlmCall,
  GiveBackLlmCallV1,
  type GivenBackLlmCall,
  type LlmCallReply,
  type MessageCounts,
  TakeLlmCall,
  TakeLlmCallV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { LlmCallsService } from './llm-calls.service.js';
import { MessageCountsService } from './message-counts.service.js';

/** This consumer counts calls of language models, and answers what was sent in a month. */
@Controller()
export class UsageConsumer {
  constructor(
    private readonly calls: LlmCallsService,
    private readonly messages: MessageCountsService,
  ) {}

  @OnRequest(TakeLlmCall)
  take(@Payload() request: TakeLlmCallV1): Promise<LlmCallReply> {
    return this.calls.take(request);
  }

  @OnRequest(GiveBackLlmCall)
  async giveBack(@Payload() request: GiveBackLlmCallV1): Promise<GivenBackLlmCall> {
    return { givenBack: await this.calls.giveBack(request) };
  }

  @OnRequest(CountMessages)
  count(@Payload() request: CountMessagesV1): Promise<MessageCounts> {
    return this.messages.count(request);
  }
}
