import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  Envelope,
  GetTiers,
  GetTiersV1,
  PromoteTier,
  PromoteTierV1,
  SessionConnected,
  type SessionConnectedV1,
  type TierPromotion,
  type TiersReply,
} from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { NumbersService } from './numbers.service.js';
import { TiersService } from './tiers.service.js';

/** This consumer answers what other services ask about warmup tiers, and hears which numbers are linked. */
@Controller()
export class TiersConsumer {
  constructor(
    private readonly tiers: TiersService,
    private readonly numbers: NumbersService,
  ) {}

  @OnEvent(SessionConnected)
  connected(@Payload() event: Envelope<SessionConnectedV1>): Promise<void> {
    return this.numbers.link(event);
  }

  @OnRequest(GetTiers)
  get(@Payload() { sessionIds }: GetTiersV1): Promise<TiersReply> {
    return this.tiers.get(sessionIds);
  }

  @OnRequest(PromoteTier)
  promote(@Payload() request: PromoteTierV1): Promise<TierPromotion> {
    return this.tiers.promote(request);
  }
}
