import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One entry of a tenant's audit log; the database refuses to change or delete it. */
@Entity('audit_log')
export class AuditRecord {
  @PrimaryColumn('uuid') id: string;
  /** Order of writing. */
  @Column({ type: 'bigint', insert: false, update: false }) seq: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('timestamptz') at: Date;
  /** `key:<kid>`, `operator` or `system`. */
  @Column('text') actor: string;
  @Column('text') action: string;
  @Column('text') target: string;
  @Column('text', { nullable: true }) reason: string | null;
  @Column('jsonb') details: Record<string, unknown>;
  /** Place in the tenant's chain, from 1 on; null: from before there was one. */
  @Column('integer', { nullable: true }) place: number | null;
  @Column('bytea', { name: 'prev_hash', nullable: true }) prevHash: Buffer | null;
  @Column('bytea', { nullable: true }) hash: Buffer | null;
}

/** End of a tenant's audit chain. */
@Entity('audit_head')
export class AuditHead {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('integer') place: number;
  @Column('bytea') hash: Buffer;
}

/** The check of all chains on one day: which replica makes it is settled by this row. */
@Entity('audit_check')
export class AuditCheck {
  @PrimaryColumn('date') day: string;
  @Column('timestamptz', { name: 'claimed_at' }) claimedAt: Date;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt: Date | null;
}

/** End of a tenant's chain when it was verified last. */
@Entity('audit_seen')
export class AuditSeen {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('integer') place: number;
  @Column('bytea') hash: Buffer;
  @Column('timestamptz', { name: 'seen_at' }) seenAt: Date;
}
