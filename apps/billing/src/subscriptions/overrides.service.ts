import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type ClearEntitlementV1,
  type EntitlementKey,
  type EntitlementOverride,
  type EntitlementsReply,
  type EntitlementValue,
  type Envelope,
  operatorActor,
  type SetEntitlementV1,
  type SubscriptionChangedV1,
  type TokenOverage,
} from '@svc/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { BillingConfig } from '../config.js';
import { ChangePublisher } from './change-publisher.js';
import { insertChange, lockSubscription } from './changes.js';
import type { LockedSubscription } from './subscription-change.js';
import { planNumbers } from './entitlements.js';
import { SubscriptionsService } from './subscriptions.service.js';

const LIST_SQL = `SELECT key, value, actor, reason, at, kept_overage AS "keptOverage"
  FROM entitlement_override JOIN subscription USING (tenant_id) WHERE tenant_id = $1 ORDER BY at, key`;

const FIND_SQL = 'SELECT value FROM entitlement_override WHERE tenant_id = $1 AND key = $2';

const WRITE_SQL = `INSERT INTO entitlement_override (tenant_id, key, value, actor, reason, at) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (tenant_id, key) DO UPDATE
    SET value = excluded.value, actor = excluded.actor, reason = excluded.reason, at = excluded.at`;

const DELETE_SQL = 'DELETE FROM entitlement_override WHERE tenant_id = $1 AND key = $2';

interface OverrideRow extends Omit<EntitlementOverride, 'planValue' | 'at'> {
  at: Date;
  keptOverage: TokenOverage | null;
}

/** An override that is written in the running transaction. */
interface Change {
  key: EntitlementKey;
  /** Value of the override; undefined: it ends. */
  value: EntitlementValue | undefined;
  reason: string | undefined;
  /** Only the operator's CLI asks for overrides. */
  actor: string;
}

/** This service keeps the operator's overrides of plans: each change is one row and one event. */
@Injectable()
export class OverridesService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly subscriptions: SubscriptionsService,
    private readonly changes: ChangePublisher,
    private readonly config: BillingConfig,
  ) {}

  /** @throws AppError `TENANT_NOT_FOUND` */
  async read(tenantId: string): Promise<EntitlementsReply> {
    const { plan, entitlements } = await this.subscriptions.get(tenantId);
    const rows = await this.dataSource.query<OverrideRow[]>(LIST_SQL, [tenantId]);
    const overrides = rows.map(({ at, keptOverage, ...row }) => ({
      ...row,
      planValue: planNumbers(this.config, { plan, keptOverage })[row.key],
      at: at.toISOString(),
    }));
    return { tenantId, plan, entitlements, overrides };
  }

  /** @throws AppError `TENANT_NOT_FOUND`, or `SUBSCRIPTION_CONFLICT` of the internal tenant. */
  async set({ tenantId, key, value, reason, operator }: SetEntitlementV1): Promise<EntitlementsReply> {
    return this.change(tenantId, { key, value, reason, actor: operatorActor(operator) });
  }

  /** @throws AppError `TENANT_NOT_FOUND`, or `SUBSCRIPTION_CONFLICT` of the internal tenant. */
  async clear({ tenantId, key, reason, operator }: ClearEntitlementV1): Promise<EntitlementsReply> {
    return this.change(tenantId, { key, value: undefined, reason, actor: operatorActor(operator) });
  }

  /** Changes an override. A repeat changes nothing and has no event: the operator may ask again where an answer was lost. */
  private async change(tenantId: string, change: Change): Promise<EntitlementsReply> {
    const events = await this.dataSource.transaction(async (tx) => {
      const subscription = await lockSubscription(tx, tenantId);
      if (!subscription) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
      if (subscription.internal) throw exempt();
      return this.write(tx, subscription, change);
    });
    await this.changes.publish(events);
    return this.read(tenantId);
  }

  private async write(
    tx: EntityManager,
    subscription: LockedSubscription,
    { key, value, reason, actor }: Change,
  ): Promise<Envelope<SubscriptionChangedV1>[]> {
    const { tenantId, now } = subscription;
    const [row] = await tx.query<{ value: EntitlementValue }[]>(FIND_SQL, [tenantId, key]);
    if (row?.value === value) return [];
    if (value === undefined) await tx.query(DELETE_SQL, [tenantId, key]);
    else await tx.query(WRITE_SQL, [tenantId, key, JSON.stringify(value), actor, reason, now]);
    const planValue = planNumbers(this.config, subscription)[key];
    const entitlement = { key, previous: row?.value ?? planValue, value: value ?? planValue };
    return insertChange(tx, subscription, subscription, {
      actor,
      entitlement,
      ...(reason && { reason }),
    });
  }
}

function exempt(): AppError {
  return new AppError(
    'SUBSCRIPTION_CONFLICT',
    'No limit binds the internal tenant: there is nothing to override.',
  );
}
