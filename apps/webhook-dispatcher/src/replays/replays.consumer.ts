import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CancelReplay,
  DeliveryRef,
  type DeliveryReply,
  GetReplay,
  ReplayDelivery,
  ReplayRef,
  type ReplayReply,
  type ReplayStart,
  StartReplay,
  StartReplayV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { LongReads } from '@svc/service';
import { ReplaysService } from './replays.service.js';

/** This consumer answers requests of other services for replays. */
@Controller()
export class ReplaysConsumer {
  constructor(
    private readonly replays: ReplaysService,
    private readonly reads: LongReads,
  ) {}

  @OnRequest(ReplayDelivery)
  async replayOne(@Payload() request: DeliveryRef): Promise<DeliveryReply> {
    return { delivery: await this.replays.replayOne(request) };
  }

  @OnRequest(StartReplay)
  start(@Payload() request: StartReplayV1): Promise<ReplayStart> {
    // Its deliveries are counted.
    return this.reads.run(request.tenantId, () => this.replays.start(request));
  }

  @OnRequest(CancelReplay)
  async cancel(@Payload() request: ReplayRef): Promise<ReplayReply> {
    return { replay: await this.replays.cancel(request) };
  }

  @OnRequest(GetReplay)
  async get(@Payload() request: ReplayRef): Promise<ReplayReply> {
    return { replay: await this.replays.get(request) };
  }
}
