import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Envelope, GetUsage, GetUsageV1, LlmCalled, type LlmCalledV1, type UsageReply } from '@svc/contracts';
import { OnEvent, OnRequest } from '@svc/messaging';
import { LedgerService } from './ledger.service.js';
import { UsageService } from './usage.service.js';

/** This consumer records calls of language models and answers what was used. */
@Controller()
export class UsageConsumer {
  constructor(
    private readonly ledger: LedgerService,
    private readonly usage: UsageService,
  ) {}

  @OnEvent(LlmCalled)
  record(@Payload() event: Envelope<LlmCalledV1>): Promise<void> {
    return this.ledger.record(event);
  }

  @OnRequest(GetUsage)
  get(@Payload() request: GetUsageV1): Promise<UsageReply> {
    return this.usage.get(request);
  }
}
