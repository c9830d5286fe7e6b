import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Rise of a tier with its reason: history, never changed. */
@Entity('tier_promotion')
export class TierPromotionRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'session_id' }) sessionId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('integer', { name: 'previous_tier' }) previousTier: number;
  @Column('integer') tier: number;
  @Column('text') reason: string;
  /** `key:<kid>` or `system`. */
  @Column('text') actor: string;
  @Column('timestamptz', { name: 'promoted_at' }) promotedAt: Date;
}
