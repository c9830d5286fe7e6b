import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  type CreateSubscriptionV1,
  type SetSubscriptionV1,
  type SubscriptionState,
} from '@svc/contracts';
import { Repository } from 'typeorm';
import { isActive } from './access.js';
import { Subscription } from './subscription.entity.js';

/** Plans and states of tenants. */
@Injectable()
export class SubscriptionsService {
  constructor(@InjectRepository(Subscription) private readonly subscriptions: Repository<Subscription>) {}

  /** A repeat keeps what the first call made: the tenant's creation may be tried again after a crash. */
  async create({ tenantId, plan, status, internal }: CreateSubscriptionV1): Promise<SubscriptionState> {
    await this.subscriptions
      .createQueryBuilder()
      .insert()
      .values({ tenantId, plan, status, internal, statusSince: () => 'svc_now()' })
      .orIgnore()
      .execute();
    return this.get(tenantId);
  }

  /** The grace of a state counts from when it began, not from when it was set last. */
  async set({ tenantId, status, plan }: SetSubscriptionV1): Promise<SubscriptionState> {
    await this.subscriptions
      .createQueryBuilder()
      .update()
      .set({
        status,
        ...(plan && { plan }),
        statusSince: () => 'CASE WHEN status = :status THEN status_since ELSE svc_now(tenant_id) END',
      })
      .where({ tenantId })
      .setParameter('status', status)
      .execute();
    return this.get(tenantId);
  }

  async get(tenantId: string): Promise<SubscriptionState> {
    const { entities, raw } = await this.subscriptions
      .createQueryBuilder('subscription')
      .addSelect('svc_now(subscription.tenant_id)', 'now')
      .where({ tenantId })
      .getRawAndEntities<{ now: Date }>();
    const [subscription] = entities;
    const [row] = raw;
    if (!subscription || !row) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
    const { plan, status, statusSince, internal } = subscription;
    return { tenantId, plan, status, internal, active: isActive(status, statusSince, row.now) };
  }
}
