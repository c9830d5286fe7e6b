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
  /** The name under which its customers know it, as the operator has confirmed it. */
  @Column('text', { name: 'confirmed_name', nullable: true }) confirmedName: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
