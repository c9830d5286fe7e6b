import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AnswerReply,
  type ConversationReply,
  ReadConversation,
  ReadConversationV1,
  SendAnswer,
  SendAnswerV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { AnswersService } from './answers.service.js';
import { PastService } from './past.service.js';

/** This consumer answers whoever writes answers: it reads what was said in a chat, and sends what is to be said there. */
@Controller()
export class AnswersConsumer {
  constructor(
    private readonly answers: AnswersService,
    private readonly past: PastService,
  ) {}

  @OnRequest(SendAnswer)
  send(@Payload() request: SendAnswerV1): Promise<AnswerReply> {
    return this.answers.send(request);
  }

  @OnRequest(ReadConversation)
  read(@Payload() request: ReadConversationV1): Promise<ConversationReply> {
    return this.past.read(request);
  }
}
