import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WidgetLanguage, WidgetSide } from './widget-words.js';

/** A button that opens a chat, on pages of a tenant. Its id stands in those pages: a random one, that nobody guesses. */
@Entity('widget')
export class Widget {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'session_id' }) sessionId: string;
  @Column('text') title: string;
  @Column('text') greeting: string;
  @Column('text', { name: 'prefilled_text' }) prefilledText: string;
  @Column('text') color: string;
  @Column('text') side: WidgetSide;
  @Column('text') language: WidgetLanguage;
  @Column('text', { name: 'allowed_origins', array: true }) allowedOrigins: string[];
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
