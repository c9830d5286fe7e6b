import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The erasure of a contact: what is to be done while it runs, and its receipt for ever. */
@Entity('erasure')
export class ErasureRecord {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  /** Normalized address; null when it is done. */
  @Column('text', { nullable: true }) contact: string | null;
  @Column('timestamptz', { name: 'requested_at' }) requestedAt: Date;
  @Column('timestamptz', { name: 'finished_at', nullable: true }) finishedAt: Date | null;
  /** Counts of all services, by the names of `ErasureCounts`. */
  @Column('jsonb') counts: Record<string, number>;
  /** Time of its next run, also of the one after an interruption. */
  @Column('timestamptz', { name: 'next_at' }) nextAt: Date;
}

/** A contact that is being erased, or was lately (`libs/service/src/erased-contacts.ts`). */
@Entity('erased_contact')
export class ErasedContact {
  @PrimaryColumn('uuid', { name: 'erasure_id' }) erasureId: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('bytea') contact: Buffer;
  @Column('timestamptz') before: Date;
  @Column('timestamptz', { nullable: true }) until: Date | null;
  @Column('jsonb') counts: Record<string, number>;
  @Column('bigint') place: string;
  @Column('timestamptz', { name: 'noted_at' }) notedAt: Date;
}
