import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource, InjectRepository } from '@nestjs/typeorm';
import {
  AppError,
  type OpenCheckoutV1,
  type ProviderEventReply,
  type ProviderPage,
  type TakeProviderEventV1,
} from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource, IsNull, Repository } from 'typeorm';
import { Subscription } from '../subscriptions/subscription.entity.js';
import { ProviderSync } from './provider-sync.js';
import { type StripeProvider, toAppError } from './stripe-provider.js';

/** States in which a subscription is paid for, or can be again: another one beside it would be paid for twice. */
const LIVE: ReadonlySet<string> = new Set(['TRIALING', 'ACTIVE', 'PAST_DUE', 'UNPAID', 'PAUSED']);

/** Injects the payment provider; null: none is configured, the operator says what is paid for. */
export const PROVIDER = Symbol('payment provider');

/** This service opens the payment provider's pages and takes its webhooks. */
@Injectable()
export class ProviderService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @InjectRepository(Subscription) private readonly subscriptions: Repository<Subscription>,
    private readonly sync: ProviderSync,
    @Inject(PROVIDER) private readonly provider: StripeProvider | null,
  ) {}

  /** @throws AppError `SUBSCRIPTION_CONFLICT` without a provider, or where a second subscription would be paid for. */
  async checkout({ tenantId, plan }: OpenCheckoutV1): Promise<ProviderPage> {
    const { provider, customerId } = await this.customerOf(tenantId);
    try {
      // A subscription that is paid for and not stored here yet would be paid for once more.
      await this.sync.syncCustomer(provider, customerId);
      const { providerId, status } = await this.subscriptions.findOneByOrFail({ tenantId });
      if (providerId !== null && LIVE.has(status)) {
        throw conflict('There is a subscription already: change its plan in the portal.');
      }
      await provider.closeCheckouts(customerId);
      return { url: await provider.checkoutUrl(customerId, tenantId, plan) };
    } catch (error) {
      throw toAppError(error);
    }
  }

  /** @throws AppError `SUBSCRIPTION_CONFLICT` without a provider. */
  async portal(tenantId: string): Promise<ProviderPage> {
    const { provider, customerId } = await this.customerOf(tenantId);
    return { url: await provider.portalUrl(customerId).catch(rethrow) };
  }

  /** Keeps the webhook and answers; the sync comes after. */
  async take({ payload, signature }: TakeProviderEventV1): Promise<ProviderEventReply> {
    if (!this.provider) throw conflict(NO_PROVIDER);
    const event = this.provider.readEvent(payload, signature);
    if (!event) return { isStored: false };
    const { id, type, customerId } = event;
    const [row] = await this.dataSource.query<object[]>(
      `INSERT INTO provider_event (id, type, customer_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id`,
      [id, type, customerId],
    );
    if (!row) return { isStored: false };
    if (this.sync.isBusy) return { isStored: true };
    this.sync
      .syncCustomer(this.provider, customerId)
      .catch((error: unknown) => log().warn({ type, err: error }, 'provider not asked, it is tried again'));
    return { isStored: true };
  }

  private async customerOf(tenantId: string): Promise<{ provider: StripeProvider; customerId: string }> {
    const { provider, subscriptions } = this;
    if (!provider) throw conflict(NO_PROVIDER);
    const subscription = await subscriptions.findOneBy({ tenantId });
    if (!subscription) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
    if (subscription.customerId !== null) return { provider, customerId: subscription.customerId };
    const ownId = await provider.createCustomer(tenantId).catch(rethrow);
    // The first of several simultaneous customers counts.
    await subscriptions.update({ tenantId, customerId: IsNull() }, { customerId: ownId });
    const { customerId } = await subscriptions.findOneByOrFail({ tenantId });
    return { provider, customerId: customerId ?? ownId };
  }
}

const NO_PROVIDER = 'This gateway has no payment provider: its operator sets plans.';

function conflict(message: string): AppError {
  return new AppError('SUBSCRIPTION_CONFLICT', message);
}

function rethrow(error: unknown): never {
  throw toAppError(error);
}
