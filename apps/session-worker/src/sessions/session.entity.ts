import type { BotMode, SessionStatus, StatusReason } from '@svc/contracts';
import type { Restrictions } from './restrictions.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a tenant wants of a session; its owner brings it about. */
export type WantedState = 'CONNECTED' | 'DISCONNECTED' | 'LOGGED_OUT' | 'DELETED';

/** One phone number of a tenant. */
@Entity('session')
export class Session {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('smallint') partition: number;
  @Column('text') name: string;
  @Column('text', { name: 'bot_mode' }) botMode: BotMode;
  /** How often it was switched to `MANAGED`; which of two changes of the mode is the later one is told by it. */
  @Column('integer', { name: 'mode_version' }) modeVersion: number;
  /** Linked number in E.164 form. */
  @Column('text', { nullable: true }) phone: string | null;
  @Column('text') status: SessionStatus;
  @Column('text', { name: 'status_reason' }) statusReason: StatusReason;
  @Column('timestamptz', { name: 'status_since' }) statusSince: Date;
  @Column('text') wanted: WantedState;
  /** Who asked for the last wish, where that was said. */
  @Column('text', { name: 'wanted_by', nullable: true }) wantedBy: string | null;
  /** Grows with every wish; the owner notes in `appliedVersion` which one it has carried out. */
  @Column('integer', { name: 'wanted_version' }) wantedVersion: number;
  @Column('integer', { name: 'applied_version' }) appliedVersion: number;
  /** Until when somebody looks at the QR code; none is made for nobody. */
  @Column('timestamptz', { name: 'looked_at_until' }) lookedAtUntil: Date;
  /** Looking keeps QR codes coming until then, no longer: a screen that nobody turned off would go on for ever. */
  @Column('timestamptz', { name: 'link_until' }) linkUntil: Date;
  @Column('text', { nullable: true }) qr: string | null;
  @Column('timestamptz', { name: 'qr_expires_at', nullable: true }) qrExpiresAt: Date | null;
  /** Of a sandbox: the simulator is its platform. */
  @Column('boolean') sandbox: boolean;
  /** Sealed: it holds a password. */
  @Column('bytea', { nullable: true }) proxy: Buffer | null;
  /** What may be shown of it. */
  @Column('text', { name: 'proxy_address', nullable: true }) proxyAddress: string | null;
  /** What the platform does not let the number do; what is over is not taken out. */
  @Column('jsonb') restrictions: Restrictions;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
