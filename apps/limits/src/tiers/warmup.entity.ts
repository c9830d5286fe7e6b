import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The warmup tier of a session that has sent something, or was raised. */
@Entity('warmup')
export class Warmup {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('integer') tier: number;
  @Column('timestamptz', { name: 'tier_since' }) tierSince: Date;
  /** Time of the last judgement, in domain time. */
  @Column('timestamptz', { name: 'evaluated_at', nullable: true }) evaluatedAt: Date | null;
  /** Time at which the session was deleted, in domain time. */
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
}
