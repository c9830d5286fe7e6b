import type { Plan, SubscriptionStatus } from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a tenant pays for. */
@Entity('subscription')
export class Subscription {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') plan: Plan;
  @Column('text') status: SubscriptionStatus;
  @Column('timestamptz', { name: 'status_since' }) statusSince: Date;
  /** The vendor's own tenant: exempt from plan limits. */
  @Column('boolean') internal: boolean;
}
