import { Injectable } from '@nestjs/common';
import { AppError, type Envelope, type MessagePollVoteV1, phoneOf, type PollResult } from '@svc/contracts';
import { timeOfInbound } from '@svc/service';
import { MessagesService } from '../messages/messages.service.js';
import { type PollVote, PollVotesRepository } from './poll-votes.repository.js';

/** This service counts the votes in polls: the last one of each voter. */
@Injectable()
export class PollsService {
  constructor(
    private readonly messages: MessagesService,
    private readonly votes: PollVotesRepository,
  ) {}

  /** Takes a vote in. */
  async voted({ tenantId, occurredAt, data }: Envelope<MessagePollVoteV1>): Promise<void> {
    await this.votes.keep(tenantId, data, timeOfInbound(occurredAt, data.timestamp));
  }

  /**
   * Reads the result of a poll as it is now.
   * @throws AppError `MESSAGE_NOT_FOUND`, also for a message that is no poll, or `FORBIDDEN` for another tenant's.
   */
  async result(tenantId: string, id: string): Promise<PollResult> {
    const { body } = await this.messages.owned(tenantId, id);
    if (body.type !== 'poll') throw new AppError('MESSAGE_NOT_FOUND', 'The message is no poll.');
    const votes = await this.votes.of(tenantId, id);
    const options = body.options ?? [];
    return {
      ...{ messageId: id, name: body.name ?? null },
      options: options.map((name) => ({
        name,
        votes: votes.filter((vote) => vote.options.includes(name)).length,
      })),
      voters: votes.filter(isGiven).length,
      votes: votes.map(({ votedAt, ...vote }) => ({
        ...vote,
        phone: phoneOf(vote.voter),
        votedAt: votedAt.toISOString(),
      })),
    };
  }
}

/** Says whether a vote is one: not taken back, and readable. */
function isGiven({ options, unknownOptions }: PollVote): boolean {
  return options.length + unknownOptions > 0;
}
