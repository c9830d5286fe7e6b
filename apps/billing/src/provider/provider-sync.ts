import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type Envelope, PLANS, type SubscriptionChangedV1 } from '@svc/contracts';
import { log } from '@svc/service';
import { DataSource, type EntityManager } from 'typeorm';
import { ChangePublisher } from '../subscriptions/change-publisher.js';
import {
  changeSubscription,
  type LockedSubscription,
  lockSubscription,
  type SubscriptionChange,
} from '../subscriptions/changes.js';
import { Subscription } from '../subscriptions/subscription.entity.js';
import type { ProviderSubscription, StripeProvider } from './stripe-provider.js';

const BEGIN_SQL = `UPDATE subscription SET looks = looks + 1, looked_at = clock_timestamp() WHERE customer_id = $1
  RETURNING tenant_id AS "tenantId", looks`;
const OPEN_SQL = 'SELECT id FROM provider_event WHERE customer_id = $1 AND done_at IS NULL';
const DONE_SQL = 'UPDATE provider_event SET done_at = clock_timestamp() WHERE id = ANY($1)';

/** Looks at once: the provider bounds its calls, and sends wait for the same connections of the database. */
const MOST_LOOKS = 4;

/** Makes a subscription of ours what it is at the provider at this moment, whatever was heard of it, and in which order. */
@Injectable()
export class ProviderSync {
  /** Customers whose look is under way, and what comes after it. */
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly again = new Map<string, Promise<void>>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangePublisher,
  ) {}

  /** Whether as many looks are under way as may be; what is told meanwhile is looked for a little later. */
  get isBusy(): boolean {
    return this.underWay.size >= MOST_LOOKS;
  }

  /** Looks from now on: where a look is under way, another one follows it, one for all who ask meanwhile. */
  look(provider: StripeProvider, customerId: string): Promise<void> {
    const running = this.underWay.get(customerId);
    if (!running) return this.start(provider, customerId);
    const next =
      this.again.get(customerId) ??
      running
        .catch(() => undefined)
        .then(() => {
          this.again.delete(customerId);
          return this.start(provider, customerId);
        });
    this.again.set(customerId, next);
    return next;
  }

  private start(provider: StripeProvider, customerId: string): Promise<void> {
    const look = this.lookOnce(provider, customerId).finally(() => this.underWay.delete(customerId));
    this.underWay.set(customerId, look);
    return look;
  }

  /** Only the look that began last writes; it saw everything that those before it were told to look for. */
  private async lookOnce(provider: StripeProvider, customerId: string): Promise<void> {
    const open = await this.dataSource.query<{ id: string }[]>(OPEN_SQL, [customerId]);
    const [[begun]] = await this.dataSource.query<[{ tenantId: string; looks: number }[], number]>(
      BEGIN_SQL,
      [customerId],
    );
    const ids = open.map(({ id }) => id);
    if (!begun) return void (await this.dataSource.query(DONE_SQL, [ids])); // a customer of somebody else
    const { tenantId, looks } = begun;
    const seen = await provider.subscriptionsOf(customerId);
    const events = await this.dataSource.transaction(async (tx) => {
      const was = await lockSubscription(tx, tenantId);
      if (!was || was.looks !== looks) return [];
      const told = await write(tx, was, seen);
      await tx.query(DONE_SQL, [ids]);
      return told;
    });
    await this.changes.publish(events);
  }
}

async function write(
  tx: EntityManager,
  was: LockedSubscription,
  seen: ProviderSubscription[],
): Promise<Envelope<SubscriptionChangedV1>[]> {
  const { tenantId, providerId } = was;
  // What the operator said holds while nothing else is paid for: not yet, or not any more.
  const isNone = ({ isIncomplete, status }: ProviderSubscription): boolean =>
    isIncomplete || status === 'CANCELED';
  const [is, other] = providerId === null ? seen.filter((one) => !isNone(one)) : seen;
  if (!is) return [];
  if (other && !isNone(other)) {
    log().error({ tenantId, subscriptions: seen.length }, 'a tenant pays for more than one subscription');
  }
  const events = await changeSubscription(tx, was, changeOf(was, is), 'payment-provider');
  const { id, periodEndsAt, cancelsAt } = is;
  await tx.update(Subscription, { tenantId }, { providerId: id, periodEndsAt, cancelsAt });
  return events;
}

/** A larger plan holds from now on, a smaller one when the period ends that is paid for (ADR 19). */
function changeOf(was: LockedSubscription, is: ProviderSubscription): SubscriptionChange {
  const { status, periodEndsAt, plan = was.plan } = is;
  if (!is.plan) log().error({ tenantId: was.tenantId }, 'the price of a subscription is not configured');
  const isSmaller = PLANS.indexOf(plan) < PLANS.indexOf(was.plan);
  const isPaid = was.providerId === is.id && was.periodEndsAt !== null && periodEndsAt <= was.periodEndsAt;
  if (isSmaller && isPaid && status === 'ACTIVE' && periodEndsAt > was.now) {
    return { status, plan: was.plan, nextPlan: plan, nextPlanAt: periodEndsAt };
  }
  return { status, plan, nextPlan: null, nextPlanAt: null };
}
