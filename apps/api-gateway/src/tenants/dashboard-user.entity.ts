import { Column, Entity, PrimaryColumn } from 'typeorm';

/** User who may sign in to a tenant's dashboard. */
@Entity('dashboard_user')
export class DashboardUser {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') email: string;
  /** argon2id, with its parameters. */
  @Column('text', { name: 'password_hash' }) passwordHash: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
