import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  AppError,
  type CreateSubscriptionV1,
  type Entitlements,
  operatorActor,
  type Plan,
  type SetSubscriptionV1,
  type SubscriptionState,
  type SubscriptionStatus,
  type TokenOverage,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { BillingConfig } from '../config.js';
import {
  entitlementsOf,
  graceEnd,
  isActive,
  type Overrides,
  planNumbers,
  tokenRefusal,
} from './entitlements.js';
import { ChangePublisher } from './change-publisher.js';
import { changeSubscription, lockSubscription } from './changes.js';
import { OVERRIDES_SQL, Subscription } from './subscription.entity.js';

const GET_SQL = `SELECT CASE WHEN next_plan_at <= now THEN next_plan ELSE plan END AS plan, status, status_since AS "statusSince", internal, kept_overage AS "keptOverage",
    CASE WHEN next_plan_at > now THEN next_plan END AS "nextPlan", next_plan_at AS "nextPlanAt",
    provider_id AS "providerId", period_ends_at AS "periodEndsAt", cancels_at AS "cancelsAt", now, ${OVERRIDES_SQL} AS overrides,
    coalesce(tokens, 0)::text AS tokens, coalesce(included, 0)::text AS included, (month + interval '1 month') AT TIME ZONE 'UTC' AS "monthEndsAt"
  FROM subscription
  CROSS JOIN LATERAL (SELECT svc_now(subscription.tenant_id) AS now OFFSET 0) clock
  CROSS JOIN LATERAL (SELECT date_trunc('month', now AT TIME ZONE 'UTC') AS month) this
  LEFT JOIN usage_period ON usage_period.tenant_id = subscription.tenant_id AND period = month::date
  WHERE subscription.tenant_id = $1`;

interface Row {
  plan: Plan;
  status: SubscriptionStatus;
  statusSince: Date;
  internal: boolean;
  keptOverage: TokenOverage | null;
  nextPlan: Plan | null;
  nextPlanAt: Date | null;
  providerId: string | null;
  periodEndsAt: Date | null;
  cancelsAt: Date | null;
  now: Date;
  overrides: Overrides;
  /** Tokens of this month. */
  tokens: string;
  included: string;
  monthEndsAt: Date;
}

/** A subscription with what it entitles to; `billing` itself always has both. */
export type EntitledSubscription = SubscriptionState & { entitlements: Entitlements };

/** This service keeps plan and state of each tenant's subscription. */
@Injectable()
export class SubscriptionsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly changes: ChangePublisher,
    private readonly config: BillingConfig,
  ) {}

  /** Makes the subscription of a new tenant. A repeat keeps the first one: the tenant's creation may be tried again after a crash. */
  async create({ tenantId, plan, status, internal }: CreateSubscriptionV1): Promise<SubscriptionState> {
    await this.dataSource
      .createQueryBuilder()
      .insert()
      .into(Subscription, ['tenantId', 'plan', 'status', 'internal', 'statusSince'])
      .values({ tenantId, plan, status, internal, statusSince: () => 'svc_now()' })
      .orIgnore()
      .execute();
    return this.get(tenantId);
  }

  /** Sets plan and state by hand: both hold from now on, and no smaller plan waits for the end of a period any more. */
  async set({ tenantId, status, plan, operator }: SetSubscriptionV1): Promise<SubscriptionState> {
    const events = await this.dataSource.transaction(async (tx) => {
      const current = await lockSubscription(tx, tenantId);
      if (!current) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
      const change = plan ? { status, plan, nextPlan: null, nextPlanAt: null } : { status };
      // A subscription that has ended at the provider is the operator's from here on.
      if (current.status === 'CANCELED') await tx.update(Subscription, { tenantId }, { providerId: null });
      return changeSubscription(tx, current, change, operatorActor(operator));
    });
    await this.changes.publish(events);
    return this.get(tenantId);
  }

  /** @throws AppError `TENANT_NOT_FOUND` */
  async get(tenantId: string): Promise<EntitledSubscription> {
    const [row] = await this.dataSource.query<Row[]>(GET_SQL, [tenantId]);
    if (!row) throw new AppError('TENANT_NOT_FOUND', undefined, { tenantId });
    const { plan, status, statusSince, internal, providerId, now } = row;
    const graceEndsAt = graceEnd(status, statusSince, this.config.graceDays);
    const entitlements = entitlementsOf(planNumbers(this.config, row), row.overrides, internal);
    const refusal = tokenRefusal(entitlements, {
      ...{ used: Number(row.tokens), included: Number(row.included), monthEndsAt: row.monthEndsAt, now },
    });
    return {
      ...{ tenantId, plan, status, internal, active: isActive(status, graceEndsAt, now), entitlements },
      keeper: providerId === null ? 'operator' : 'stripe',
      ...(graceEndsAt && { graceEndsAt: graceEndsAt.toISOString() }),
      ...(row.nextPlan && row.nextPlanAt
        ? { nextPlan: row.nextPlan, nextPlanAt: row.nextPlanAt.toISOString() }
        : {}),
      ...(row.periodEndsAt && { periodEndsAt: row.periodEndsAt.toISOString() }),
      ...(row.cancelsAt && { cancelsAt: row.cancelsAt.toISOString() }),
      ...(refusal && { tokenRefusal: refusal }),
    };
  }
}
