import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Owner of keys, sessions, endpoints and a plan. */
@Entity('tenant')
export class Tenant {
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  /** The tenant whose sandbox this is. */
  @Column('uuid', { name: 'sandbox_of', nullable: true }) sandboxOf: string | null;
  /** Since when the operator has it refused; null: it is not. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true }) suspendedAt: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
