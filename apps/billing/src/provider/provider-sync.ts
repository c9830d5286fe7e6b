import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Envelope, SubscriptionChangedV1 } from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { ChangePublisher } from '../subscriptions/change-publisher.js';
import { changeSubscription, lockSubscription } from '../subscriptions/changes.js';
import type { LockedSubscription } from '../subscriptions/subscription-change.js';
import { Subscription } from '../subscriptions/subscription.entity.js';
import { providerChange } from './provider-change.js';
import type { ProviderSubscription, StripeProvider } from './stripe-provider.js';

const BEGIN_SQL = `UPDATE subscription SET looks = looks + 1, looked_at = clock_timestamp() WHERE customer_id = $1
  RETURNING tenant_id AS "tenantId", looks AS syncs`;
const OPEN_SQL = 'SELECT id FROM provider_event WHERE customer_id = $1 AND done_at IS NULL';
const DONE_SQL = 'UPDATE provider_event SET done_at = clock_timestamp() WHERE id = ANY($1)';

/** Concurrent syncs: the provider bounds its calls, and sends wait for the same connections of the database. */
const MOST_SYNCS = 4;

/** This class makes a subscription of ours what it is at the provider at this moment, whatever webhooks came and in which order. */
@Injectable()
export class ProviderSync {
  /** Syncs that run, by customer, and the ones that follow them. */
  private readonly running = new Map<string, Promise<void>>();
  private readonly following = new Map<string, Promise<void>>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangePublisher,
  ) {}

  /** Says whether as many syncs run as may; a webhook that comes meanwhile is followed up a little later. */
  get isBusy(): boolean {
    return this.running.size >= MOST_SYNCS;
  }

  /** Reads the customer's subscription from now on: where a sync runs, another one follows it, one for all who ask meanwhile. */
  syncCustomer(provider: StripeProvider, customerId: string): Promise<void> {
    const running = this.running.get(customerId);
    if (!running) return this.start(provider, customerId);
    const following =
      this.following.get(customerId) ??
      running
        .catch(() => undefined)
        .then(() => {
          this.following.delete(customerId);
          return this.start(provider, customerId);
        });
    this.following.set(customerId, following);
    return following;
  }

  private start(provider: StripeProvider, customerId: string): Promise<void> {
    const sync = this.syncOnce(provider, customerId).finally(() => this.running.delete(customerId));
    this.running.set(customerId, sync);
    return sync;
  }

  /** Runs one sync. Only the one that began last writes; it read everything that those before it were to read. */
  private async syncOnce(provider: StripeProvider, customerId: string): Promise<void> {
    const open = await this.dataSource.query<{ id: string }[]>(OPEN_SQL, [customerId]);
    const [[row]] = await this.dataSource.query<[{ tenantId: string; syncs: number }[], number]>(BEGIN_SQL, [
      customerId,
    ]);
    const ids = open.map(({ id }) => id);
    if (!row) return void (await this.dataSource.query(DONE_SQL, [ids])); // a customer of somebody else
    const { tenantId, syncs } = row;
    const subscriptions = await provider.subscriptionsOf(customerId);
    const events = await this.dataSource.transaction(async (tx) => {
      const ours = await lockSubscription(tx, tenantId);
      if (!ours || ours.syncs !== syncs) return [];
      const changes = await write(tx, ours, subscriptions);
      await tx.query(DONE_SQL, [ids]);
      return changes;
    });
    await this.changes.publish(events);
  }
}

async function write(
  tx: EntityManager,
  ours: LockedSubscription,
  subscriptions: ProviderSubscription[],
): Promise<Envelope<SubscriptionChangedV1>[]> {
  const { tenantId, providerId } = ours;
  // The operator's plan and status hold while no subscription is paid for: not yet, or not any more.
  const isUnpaid = ({ isIncomplete, status }: ProviderSubscription): boolean =>
    isIncomplete || status === 'CANCELED';
  const [theirs, other] = providerId === null ? subscriptions.filter((one) => !isUnpaid(one)) : subscriptions;
  if (!theirs) return [];
  if (other && !isUnpaid(other)) {
    log().error(
      { tenantId, subscriptions: subscriptions.length },
      'a tenant pays for more than one subscription',
    );
  }
  if (!theirs.plan) log().error({ tenantId }, 'the price of a subscription is not configured');
  const events = await changeSubscription(tx, ours, providerChange(ours, theirs), 'payment-provider');
  const { id, periodEndsAt, cancelsAt } = theirs;
  await tx.update(Subscription, { tenantId }, { providerId: id, periodEndsAt, cancelsAt });
  return events;
}
