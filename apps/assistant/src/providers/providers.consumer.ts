import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  DeleteProvider,
  DeleteProviderV1,
  GetProvider,
  type ProviderReply,
  SetProvider,
  SetProviderV1,
  TenantRef,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { ProvidersService } from './providers.service.js';

/** This consumer answers requests about the providers of tenants. */
@Controller()
export class ProvidersConsumer {
  constructor(private readonly providers: ProvidersService) {}

  @OnRequest(GetProvider)
  get(@Payload() { tenantId }: TenantRef): Promise<ProviderReply> {
    return this.providers.get(tenantId);
  }

  @OnRequest(SetProvider)
  set(@Payload() request: SetProviderV1): Promise<ProviderReply> {
    return this.providers.set(request);
  }

  @OnRequest(DeleteProvider)
  async delete(@Payload() request: DeleteProviderV1): Promise<object> {
    await this.providers.delete(request);
    return {};
  }
}
