import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Row of a link; the statements that read and write it are in `single-use-links.ts`. */
@Entity('single_use_link')
export class SingleUseLinkRow {
  @PrimaryColumn('text') purpose: string;
  @PrimaryColumn('uuid') subject: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('bytea', { name: 'token_digest' }) tokenDigest: Buffer;
  /** Digest of the key of the browser that has opened it. */
  @Column('bytea', { name: 'key_digest', nullable: true }) keyDigest: Buffer | null;
  @Column('jsonb') details: Record<string, unknown>;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  @Column('timestamptz', { name: 'opened_at', nullable: true }) openedAt: Date | null;
  @Column('timestamptz', { name: 'used_at', nullable: true }) usedAt: Date | null;
}
