import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  OpenCheckout,
  OpenCheckoutV1,
  OpenPortal,
  type ProviderEventReply,
  type ProviderPage,
  TakeProviderEvent,
  TakeProviderEventV1,
  TenantRef,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ProviderService } from './provider.service.js';

/** This consumer answers requests for the payment provider's pages and takes its webhooks. */
@Controller()
export class ProviderConsumer {
  constructor(private readonly provider: ProviderService) {}

  @OnRequest(OpenCheckout)
  checkout(@Payload() request: OpenCheckoutV1): Promise<ProviderPage> {
    return this.provider.checkout(request);
  }

  @OnRequest(OpenPortal)
  portal(@Payload() { tenantId }: TenantRef): Promise<ProviderPage> {
    return this.provider.portal(tenantId);
  }

  @OnRequest(TakeProviderEvent)
  take(@Payload() request: TakeProviderEventV1): Promise<ProviderEventReply> {
    return this.provider.take(request);
  }
}
