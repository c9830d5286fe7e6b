import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The warmup tier of a session that has left tier 0. */
@Entity('warmup')
export class Warmup {
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('integer') tier: number;
  @Column('timestamptz', { name: 'tier_since' }) tierSince: Date;
}
