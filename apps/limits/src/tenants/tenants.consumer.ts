import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { type DeletedTenantRows, DeleteTenantLimits, DeleteTenantRowsV1 } from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { TenantDeletionService } from './tenant-deletion.service.js';

/** This consumer takes the deletion of a tenant. */
@Controller()
export class TenantsConsumer {
  constructor(private readonly deletion: TenantDeletionService) {}

  @OnRequest(DeleteTenantLimits)
  delete(@Payload() request: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    return this.deletion.delete(request);
  }
}
