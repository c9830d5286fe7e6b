import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type AgedKey,
  AgeKey,
  AgeKeyV1,
  type ClockReply,
  type ConfirmedName,
  ConfirmTenantName,
  ConfirmTenantNameV1,
  CreateTenant,
  CreateTenantV1,
  DeleteTenant,
  DeleteTenantV1,
  ListTenants,
  ResetSandboxClock,
  ResumeTenant,
  type NewTenant,
  SetClock,
  SetClockV1,
  SuspendTenant,
  SuspendTenantV1,
  type SuspensionReply,
  type TenantDeletion,
  TenantRef,
  type TenantsReply,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { SandboxService } from '../sandbox/sandbox.service.js';
import { ConfirmedNames } from './confirmed-names.js';
import { DeletionsService } from './deletions.service.js';
import { SuspensionsService } from './suspensions.service.js';
import { TenantsService } from './tenants.service.js';
import { TimeTravelService } from './time-travel.service.js';

/** This consumer answers the operator's command. */
@Controller()
export class TenantsConsumer {
  constructor(
    private readonly tenants: TenantsService,
    private readonly time: TimeTravelService,
    private readonly sandbox: SandboxService,
    private readonly suspensions: SuspensionsService,
    private readonly deletions: DeletionsService,
    private readonly names: ConfirmedNames,
  ) {}

  @OnRequest(CreateTenant)
  create(@Payload() request: CreateTenantV1): Promise<NewTenant> {
    return this.tenants.create(request);
  }

  @OnRequest(ListTenants)
  async list(): Promise<TenantsReply> {
    return { items: await this.tenants.list() };
  }

  @OnRequest(SuspendTenant)
  suspend(@Payload() request: SuspendTenantV1): Promise<SuspensionReply> {
    return this.suspensions.set(request, true);
  }

  @OnRequest(ResumeTenant)
  resume(@Payload() request: SuspendTenantV1): Promise<SuspensionReply> {
    return this.suspensions.set(request, false);
  }

  @OnRequest(DeleteTenant)
  delete(@Payload() request: DeleteTenantV1): Promise<TenantDeletion> {
    return this.deletions.request(request);
  }

  @OnRequest(ConfirmTenantName)
  confirmName(@Payload() request: ConfirmTenantNameV1): Promise<ConfirmedName> {
    return this.names.confirm(request);
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
