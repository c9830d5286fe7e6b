import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The job that a tenant's `clientMessageId` stands for. This row decides who was first. */
@Entity('client_message')
export class ClientMessage {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @PrimaryColumn('text', { name: 'client_message_id' }) clientMessageId: string;
  @Column('uuid', { name: 'job_id' }) jobId: string;
  /** Digest of the first request; a repeat with other words returns the first job all the same. */
  @Column('bytea', { name: 'body_hash' }) bodyHash: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
