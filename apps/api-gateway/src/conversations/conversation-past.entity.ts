import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Conversation } from './conversation.entity.js';

/** Earlier places of a conversation that its row has no room for; a trigger writes them when the row is full. */
@Entity('conversation_past')
export class ConversationPast {
  @PrimaryColumn('uuid', { name: 'conversation_id' }) conversationId: string;
  /** The oldest place of these steps. */
  @PrimaryColumn('bigint') since: string;
  /** The place that followed the newest of them. */
  @Column('bigint') until: string;
  /** Newest first. */
  @Column('jsonb') steps: Conversation['past'];
}
