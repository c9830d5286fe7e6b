import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Judge, type Judgement, JudgeV1, Play, type PlayedAnswer, PlayV1 } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { JudgeService } from './judge.service.js';
import { PlaygroundService } from './playground.service.js';

/** This consumer answers and judges conversations that are tried out. */
@Controller()
export class PlaygroundConsumer {
  constructor(
    private readonly playground: PlaygroundService,
    private readonly judge: JudgeService,
  ) {}

  @OnRequest(Play)
  play(@Payload() request: PlayV1): Promise<PlayedAnswer> {
    return this.playground.play(request);
  }

  @OnRequest(Judge)
  judgement(@Payload() request: JudgeV1): Promise<Judgement> {
    return this.judge.judge(request);
  }
}
