import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ListTurns, ListTurnsV1, type TurnsReply } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { TurnListRepository } from './turn-list.repository.js';

/** This consumer answers requests about turns. */
@Controller()
export class TurnListConsumer {
  constructor(private readonly turns: TurnListRepository) {}

  @OnRequest(ListTurns)
  list(@Payload() request: ListTurnsV1): Promise<TurnsReply> {
    return this.turns.list(request);
  }
}
