import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A file that a tenant gave us to send. */
@Entity('upload')
export class Upload {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text', { name: 'mime_type' }) mimeType: string;
  @Column('text', { nullable: true }) filename: string | null;
  /** Size in bytes; null until all of it is stored. */
  @Column('integer', { nullable: true }) size: number | null;
  @Column('text', { nullable: true }) sha256: string | null;
  /** Bytes that the file counts for; until it is whole, those that it may come to. */
  @Column('bigint') bytes: string;
  /** The file came with a message, and belongs to that alone. */
  @Column('boolean', { name: 'of_message' }) ofMessage: boolean;
  /** The job of that message, until the sweeper has seen that it was written. */
  @Column('uuid', { name: 'job_id', nullable: true }) jobId: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
