import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes of all uploads of a tenant; a trigger keeps the sum. */
@Entity('kept_uploads')
export class KeptUploads {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('bigint') bytes: string;
}
