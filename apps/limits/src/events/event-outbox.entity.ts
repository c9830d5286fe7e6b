import type { Envelope } from '@svc/contracts';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** An event whose cause is committed and which is not published yet. */
@Entity('event_outbox')
export class EventOutbox {
  /** The event's own id, so that publishing twice is one event. */
  @PrimaryColumn('uuid') id: string;
  @Column('jsonb') envelope: Envelope;
  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' }) createdAt: Date;
}
