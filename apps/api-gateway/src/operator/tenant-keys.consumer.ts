import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  CreateKey,
  CreateKeyV1,
  ListKeys,
  type NewTenantKey,
  type RevokedTenantKey,
  RevokeKey,
  RevokeKeyV1,
  type TenantKeysReply,
  TenantRef,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { TenantKeys } from './tenant-keys.service.js';

/** This consumer answers the operator's command about keys of tenants. */
@Controller()
export class TenantKeysConsumer {
  constructor(private readonly keys: TenantKeys) {}

  @OnRequest(CreateKey)
  create(@Payload() request: CreateKeyV1): Promise<NewTenantKey> {
    return this.keys.create(request);
  }

  @OnRequest(ListKeys)
  async list(@Payload() { tenantId }: TenantRef): Promise<TenantKeysReply> {
    return { items: await this.keys.list(tenantId) };
  }

  @OnRequest(RevokeKey)
  revoke(@Payload() request: RevokeKeyV1): Promise<RevokedTenantKey> {
    return this.keys.revoke(request);
  }
}
