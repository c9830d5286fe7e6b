import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  type AppError,
  type DeletedTenantRows,
  type DeleteTenantRowsV1,
  type SubscriptionState,
} from '@svc/contracts';
import { deleteTenantRows, OF_TENANT, OUTBOX_ROWS, type TenantRows } from '@svc/service';
import { DataSource } from 'typeorm';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';

// The basis of invoices stays: the subscription, the sums of months and the blocks.
const ROWS: readonly TenantRows[] = [
  { table: 'usage_event', where: OF_TENANT },
  { table: 'usage_day', where: OF_TENANT },
  { table: 'entitlement_override', where: OF_TENANT },
  { table: 'audit_outbox', where: OF_TENANT },
  OUTBOX_ROWS,
];

/** This service ends the subscription of a tenant that is deleted, and deletes what no invoice rests on. */
@Injectable()
export class TenantDeletionService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  async delete({ tenantId, sessionIds }: DeleteTenantRowsV1): Promise<DeletedTenantRows> {
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
