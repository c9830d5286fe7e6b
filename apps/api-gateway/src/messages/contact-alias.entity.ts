import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Another spelling of a contact's number, as the platform told a session. */
@Entity('contact_alias')
export class ContactAlias {
  @PrimaryColumn('uuid', { name: 'tenant_id' }) tenantId: string;
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId: string;
  /** Normalized address that sends name. */
  @PrimaryColumn('text') alias: string;
  /** Address of the account. */
  @Column('text') contact: string;
  /** Id of the conversation of the session with the account. */
  @Column('uuid', { name: 'conversation_id' }) conversationId: string;
  /** Id under which messages to the spelling were a conversation before it was known. */
  @Column('uuid', { name: 'former_id', nullable: true }) formerId: string | null;
  @Column('timestamptz', { name: 'learned_at' }) learnedAt: Date;
}
