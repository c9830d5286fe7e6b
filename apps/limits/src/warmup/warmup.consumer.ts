import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { GetWarmup, SessionRef, type WarmupState } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { WarmupService } from './warmup.service.js';

/** This consumer answers where a number stands on its way to the next tier. */
@Controller()
export class WarmupConsumer {
  constructor(private readonly warmups: WarmupService) {}

  @OnRequest(GetWarmup)
  get(@Payload() request: SessionRef): Promise<WarmupState> {
    return this.warmups.state(request);
  }
}
