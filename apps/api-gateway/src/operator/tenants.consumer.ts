import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AgedKey,
  AgeKey,
  AgeKeyV1,
  type ClockReply,
  CreateTenant,
  CreateTenantV1,
  ListTenants,
  ResetSandboxClock,
  type NewTenant,
  SetClock,
  SetClockV1,
  TenantRef,
  type TenantsReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { SandboxService } from '../sandbox/sandbox.service.js';
import { TenantsService } from './tenants.service.js';
import { TimeTravelService } from './time-travel.service.js';

/** This consumer answers the operator's command. */
@Controller()
export class TenantsConsumer {
  constructor(
    private readonly tenants: TenantsService,
    private readonly time: TimeTravelService,
    private readonly sandbox: SandboxService,
  ) {}

  @OnRequest(CreateTenant)
  create(@Payload() request: CreateTenantV1): Promise<NewTenant> {
    return this.tenants.create(request);
  }

  @OnRequest(ListTenants)
  async list(): Promise<TenantsReply> {
    return { items: await this.tenants.list() };
  }

  @OnRequest(AgeKey)
  ageKey(@Payload() request: AgeKeyV1): Promise<AgedKey> {
    return this.time.ageKey(request);
  }

  @OnRequest(SetClock)
  setClock(@Payload() { at }: SetClockV1): Promise<ClockReply> {
    return this.time.setClock(at ?? null);
  }

  @OnRequest(ResetSandboxClock)
  resetSandboxClock(@Payload() { tenantId }: TenantRef): Promise<ClockReply> {
    return this.sandbox.resetClock(tenantId);
  }
}
