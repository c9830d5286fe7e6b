import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, MessagePollVote, type MessagePollVoteV1 } from '@svc/contracts';
import { OnEvent } from '@svc/messaging';
import { PollsService } from './polls.service.js';

/** This consumer takes the votes in polls from the session worker. */
@Controller()
export class PollsConsumer {
  constructor(private readonly polls: PollsService) {}

  @OnEvent(MessagePollVote)
  voted(@Payload() event: Envelope<MessagePollVoteV1>): Promise<void> {
    return this.polls.voted(event);
  }
}
