import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Number of times that the contacts of a sandbox have been made to write on its last day, by the real clock. */
@Entity('sandbox_day')
export class SandboxDay {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('date') day: string;
  @Column('integer') written: number;
}
