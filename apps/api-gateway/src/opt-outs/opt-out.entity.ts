import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A contact who has opted out of the messages of a tenant, or in again. */
@Entity('opt_out')
export class OptOut {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  /** Normalized address. */
  @PrimaryColumn('text') contact: string;
  @Column('boolean', { name: 'is_out' }) isOut: boolean;
  /** The word, as it is compared; null where the tenant noted it. */
  @Column('text', { nullable: true }) word: string | null;
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId: string | null;
  @Column('timestamptz', { name: 'changed_at' }) changedAt: Date;
}

/** The words of a tenant, as they are compared, and as the tenant has written them. */
@Entity('opt_out_words')
export class OptOutWordsRow {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text', { array: true }) words: string[];
  @Column('text', { name: 'resume_words', array: true }) resumeWords: string[];
  @Column('jsonb') written: { words: string[]; resumeWords: string[] };
}
