import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { EraseContactV1, type ErasedInWebhooks, EraseInWebhooks } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { LongReads } from '@svc/service';
import { ErasureService } from './erasure.service.js';

/** This consumer answers requests for erasures; any dispatcher carries them out. */
@Controller()
export class ErasureConsumer {
  constructor(
    private readonly erasures: ErasureService,
    private readonly reads: LongReads,
  ) {}

  @OnRequest(EraseInWebhooks)
  erase(@Payload() request: EraseContactV1): Promise<ErasedInWebhooks> {
    // It walks through all events of the tenant.
    return this.reads.run(request.tenantId, () => this.erasures.erase(request));
  }
}
