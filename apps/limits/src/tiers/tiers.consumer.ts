import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  GetTiers,
  GetTiersV1,
  GetWarmup,
  PromoteTier,
  PromoteTierV1,
  type TierPromotion,
  type TiersReply,
  SessionRef,
  type WarmupState,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { WarmupService } from '../warmup/warmup.service.js';
import { TiersService } from './tiers.service.js';

/** What other services may ask about warmup tiers. */
@Controller()
export class TiersConsumer {
  constructor(
    private readonly tiers: TiersService,
    private readonly warmups: WarmupService,
  ) {}

  @OnRequest(GetTiers)
  get(@Payload() { sessionIds }: GetTiersV1): Promise<TiersReply> {
    return this.tiers.get(sessionIds);
  }

  @OnRequest(PromoteTier)
  promote(@Payload() request: PromoteTierV1): Promise<TierPromotion> {
    return this.tiers.promote(request);
  }

  @OnRequest(GetWarmup)
  warmup(@Payload() request: SessionRef): Promise<WarmupState> {
    return this.warmups.state(request);
  }
}
