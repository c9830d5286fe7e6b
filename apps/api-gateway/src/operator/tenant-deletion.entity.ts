import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The deletion of a tenant: what is to be done while it runs, and its receipt for ever. */
@Entity('tenant_deletion')
export class TenantDeletionRecord {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  /** The tenant after its sandbox. */
  @Column('uuid', { name: 'tenant_ids', array: true }) tenantIds: string[];
  /** All sessions that they had; null: nobody has looked yet. */
  @Column('uuid', { name: 'session_ids', array: true, nullable: true }) sessionIds: string[] | null;
  @Column('timestamptz', { name: 'requested_at' }) requestedAt: Date;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt: Date | null;
  /** Number of rounds in which every service has said that nothing is left. */
  @Column('integer') rounds: number;
  /** Rows by table, of all services. */
  @Column('jsonb') deleted: Record<string, number>;
  /** When it is taken up, again where it was interrupted. */
  @Column('timestamptz', { name: 'next_at' }) nextAt: Date;
}
