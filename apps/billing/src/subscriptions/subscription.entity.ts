import type { Plan, SubscriptionStatus, TokenOverage } from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The subscription of one tenant: what it pays for. */
@Entity('subscription')
export class Subscription {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') plan: Plan;
  @Column('text') status: SubscriptionStatus;
  @Column('timestamptz', { name: 'status_since' }) statusSince: Date;
  /** The vendor's own tenant: exempt from plan limits. */
  @Column('boolean') internal: boolean;
  /** Rule for tokens beyond those included, of a tenant from before STARTER blocked by default; null: that of its plan. */
  @Column('text', { name: 'kept_overage', nullable: true }) keptOverage: TokenOverage | null;
  /** A smaller plan, and when it begins: both or none. */
  @Column('text', { name: 'next_plan', nullable: true }) nextPlan: Plan | null;
  @Column('timestamptz', { name: 'next_plan_at', nullable: true }) nextPlanAt: Date | null;
  /** Ids at the payment provider; a customer is made before anything is paid. */
  @Column('text', { name: 'customer_id', nullable: true }) customerId: string | null;
  @Column('text', { name: 'provider_id', nullable: true }) providerId: string | null;
  @Column('timestamptz', { name: 'period_ends_at', nullable: true }) periodEndsAt: Date | null;
  @Column('timestamptz', { name: 'cancels_at', nullable: true }) cancelsAt: Date | null;
  /** Counts the syncs with the provider: the one that began last writes what it read. */
  @Column('integer', { name: 'looks' }) syncs: number;
  /** Time at which the last sync began, by the server's clock. */
  @Column('timestamptz', { name: 'looked_at', nullable: true }) syncedAt: Date | null;
  /** Time of the last comparison with the provider, in domain time. */
  @Column('timestamptz', { name: 'compared_at', nullable: true }) comparedAt: Date | null;
}

/** The plan that holds at this moment; the columns are those of `subscription`. */
export const PLAN_NOW_SQL = `CASE WHEN next_plan_at <= svc_now(tenant_id) THEN next_plan ELSE plan END`;

/** The operator's overrides of a tenant as one object, `{}` where there is none; for a statement that reads `subscription`. */
export const OVERRIDES_SQL = `(SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM entitlement_override
  WHERE entitlement_override.tenant_id = subscription.tenant_id)`;
