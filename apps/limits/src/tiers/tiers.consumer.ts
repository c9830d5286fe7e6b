import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  GetTiers,
  GetTiersV1,
  PromoteTier,
  PromoteTierV1,
  type TierPromotion,
  type TiersReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { TiersService } from './tiers.service.js';

/** This consumer answers what other services ask about warmup tiers. */
@Controller()
export class TiersConsumer {
  constructor(private readonly tiers: TiersService) {}

  @OnRequest(GetTiers)
  get(@Payload() { sessionIds }: GetTiersV1): Promise<TiersReply> {
    return this.tiers.get(sessionIds);
  }

  @OnRequest(PromoteTier)
  promote(@Payload() request: PromoteTierV1): Promise<TierPromotion> {
    return this.tiers.promote(request);
  }
}
