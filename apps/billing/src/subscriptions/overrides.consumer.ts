import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  ClearEntitlement,
  ClearEntitlementV1,
  type EntitlementsReply,
  GetEntitlements,
  GetEntitlementsV1,
  SetEntitlement,
  SetEntitlementV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { OverridesService } from './overrides.service.js';

/** This consumer answers what the operator asks about entitlements. */
@Controller()
export class OverridesConsumer {
  constructor(private readonly overrides: OverridesService) {}

  @OnRequest(GetEntitlements)
  get(@Payload() { tenantId }: GetEntitlementsV1): Promise<EntitlementsReply> {
    return this.overrides.read(tenantId);
  }

  @OnRequest(SetEntitlement)
  set(@Payload() request: SetEntitlementV1): Promise<EntitlementsReply> {
    return this.overrides.set(request);
  }

  @OnRequest(ClearEntitlement)
  clear(@Payload() request: ClearEntitlementV1): Promise<EntitlementsReply> {
    return this.overrides.clear(request);
  }
}
