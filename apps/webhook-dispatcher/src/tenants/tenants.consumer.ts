import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  type DeletedTenantRows,
  DeleteTenantRowsV1,
  DeleteTenantWebhooks,
  type Nothing,
  SetEndpointSuspension,
  SetSuspensionV1,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { SuspensionsService } from './suspensions.service.js';
import { TenantDeletionService } from './tenant-deletion.service.js';

/** Takes what the operator has done to tenants; any dispatcher carries it out. */
@Controller()
export class TenantsConsumer {
  constructor(
    private readonly suspensions: SuspensionsService,
    private readonly deletion: TenantDeletionService,
  ) {}

  @OnRequest(SetEndpointSuspension)
  async suspend(@Payload() request: SetSuspensionV1): Promise<Nothing> {
    await this.suspensions.set(request);
    return {};
  }

  @OnRequest(DeleteTenantWebhooks)
  delete(@Payload() request: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    return this.deletion.delete(request);
  }
}
