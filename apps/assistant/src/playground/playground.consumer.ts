import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Play, type PlayedAnswer, PlayV1 } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { PlaygroundService } from './playground.service.js';

/** This consumer answers conversations that are tried out. */
@Controller()
export class PlaygroundConsumer {
  constructor(private readonly playground: PlaygroundService) {}

  @OnRequest(Play)
  play(@Payload() request: PlayV1): Promise<PlayedAnswer> {
    return this.playground.play(request);
  }
}
