import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type AppError,
  type DeletedTenantRows,
  DeleteTenantRowsV1,
  DeleteTenantUsage,
  type SubscriptionState,
} from '@svc/contracts';
import { OnRequest } from '@svc/messaging';
import { deleteTenantRows, OF_TENANT, OUTBOX_ROWS, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

// What invoices rest on stays: the subscription, the sums of months and the blocks.
const ROWS: readonly TenantRows[] = [
  { table: 'usage_event', where: OF_TENANT },
  { table: 'usage_day', where: OF_TENANT },
  { table: 'entitlement_override', where: OF_TENANT },
  { table: 'audit_outbox', where: OF_TENANT },
  OUTBOX_ROWS,
];

/** This consumer takes the deletion of a tenant: it ends the subscription, and deletes what no invoice rests on. */
@Controller()
export class TenantsConsumer {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  @OnRequest(DeleteTenantUsage)
  async delete(@Payload() { tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
    const subscription = await this.find(tenantId);
    if (subscription && subscription.status !== 'CANCELED')
      await this.subscriptions.set({ tenantId, status: 'CANCELED' });
    return deleteTenantRows(this.dataSource, 'billing', ROWS, [tenantId, sessionIds]);
  }

  private async find(tenantId: string): Promise<SubscriptionState | undefined> {
    try {
      return await this.subscriptions.get(tenantId);
    } catch (error) {
      if ((error as AppError).code === 'TENANT_NOT_FOUND') return undefined;
      throw error;
    }
  }
}
