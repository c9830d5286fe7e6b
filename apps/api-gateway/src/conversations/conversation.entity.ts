import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Place of one conversation in the list of conversations. Its messages are found by session and contact. */
@Entity('conversation')
export class Conversation {
  /** Follows from the three below (`conversationIdOf`). */
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'session_id' }) sessionId: string;
  @Column('text') contact: string;
  @Column('uuid', { name: 'last_message_id' }) lastMessageId: string;
  @Column('timestamptz', { name: 'last_at' }) lastAt: Date;
  /** Time at which the gateway received its newest message, in microseconds: the order of the list. */
  @Column('bigint') place: string;
  /** The transaction that put it there. */
  @Column('bigint', { name: 'moved_by' }) movedBy: string;
  /** Earlier places, newest first: `[transaction, place]`. */
  @Column('jsonb') past: [number, number][];
}
