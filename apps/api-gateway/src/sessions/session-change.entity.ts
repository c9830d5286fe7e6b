import type { BotMode } from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A change of a session that involves other services: from before its first step until its traces are written. */
@Entity('session_change')
export class SessionChange {
  /** One at a time. */
  @PrimaryColumn('uuid', { name: 'session_id' }) sessionId: string;
  @Column('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('text') actor: string;
  /** What the change found; null where it changes neither mode nor secret, or has not begun to. */
  @Column('text', { name: 'mode_before', nullable: true }) modeBefore: BotMode | null;
  /** SHA-256 of the secret of the bound endpoint. */
  @Column('bytea', { name: 'secret_before', nullable: true }) secretBefore: Buffer | null;
  /** When somebody else finishes it (real time): whoever began it may have crashed. */
  @Column('timestamptz', { name: 'settle_at' }) settleAt: Date;
}
