import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AssistantFigures,
  GetFigures,
  GetFiguresV1,
  ListTurns,
  ListTurnsV1,
  type TurnsReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { FiguresRepository } from './figures.repository.js';
import { TurnListRepository } from './turn-list.repository.js';

/** This consumer answers requests about turns. */
@Controller()
export class TurnListConsumer {
  constructor(
    private readonly turns: TurnListRepository,
    private readonly figures: FiguresRepository,
  ) {}

  @OnRequest(ListTurns)
  list(@Payload() request: ListTurnsV1): Promise<TurnsReply> {
    return this.turns.list(request);
  }

  @OnRequest(GetFigures)
  count(@Payload() request: GetFiguresV1): Promise<AssistantFigures> {
    return this.figures.count(request);
  }
}
