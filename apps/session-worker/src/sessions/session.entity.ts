import type { BotMode, SessionStatus, StatusReason } from '@svc/contracts';
import type { Restrictions } from './restrictions.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** State that a tenant wants of a session; its owner brings it about. */
export type WantedState = 'CONNECTED' | 'DISCONNECTED' | 'LOGGED_OUT' | 'DELETED';

/** Session: one phone number of a tenant. */
@Entity('session')
export class Session {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('smallint') partition: number;
  @Column('text') name: string;
  @Column('text', { name: 'bot_mode' }) botMode: BotMode;
  /** Reason why it is `MANAGED`, where nobody has asked for that. */
  @Column('text', { name: 'mode_reason', nullable: true }) modeReason: 'FAILOVER' | null;
  /** Number of switches to `MANAGED`; it says which of two changes of the mode is the later one. */
  @Column('integer', { name: 'mode_version' }) modeVersion: number;
  /** Linked number in E.164 form. */
  @Column('text', { nullable: true }) phone: string | null;
  @Column('text') status: SessionStatus;
  @Column('text', { name: 'status_reason' }) statusReason: StatusReason;
  @Column('timestamptz', { name: 'status_since' }) statusSince: Date;
  /** Time until which the status holds, where the platform has named one. */
  @Column('timestamptz', { name: 'status_until', nullable: true }) statusUntil: Date | null;
  @Column('text') wanted: WantedState;
  /** Actor of the last wish, where the request named one. */
  @Column('text', { name: 'wanted_by', nullable: true }) wantedBy: string | null;
  /** Grows with every wish; the owner notes in `appliedVersion` which one it has carried out. */
  @Column('integer', { name: 'wanted_version' }) wantedVersion: number;
  @Column('integer', { name: 'applied_version' }) appliedVersion: number;
  /** Time until which the QR code is viewed; a code is made for a viewer alone. */
  @Column('timestamptz', { name: 'looked_at_until' }) lookedAtUntil: Date;
  /**
   * Time limit of linking: each view keeps QR codes coming until then, no longer, because a screen that was left on would go on for ever.
   */
  @Column('timestamptz', { name: 'link_until' }) linkUntil: Date;
  @Column('text', { nullable: true }) qr: string | null;
  @Column('timestamptz', { name: 'qr_expires_at', nullable: true }) qrExpiresAt: Date | null;
  /** True for a session of a sandbox: the simulator is its platform. */
  @Column('boolean') sandbox: boolean;
  /** Address of the proxy, sealed: it holds a password. */
  @Column('bytea', { nullable: true }) proxy: Buffer | null;
  /** Part of the address that may be shown. */
  @Column('text', { name: 'proxy_address', nullable: true }) proxyAddress: string | null;
  /** True for a number that counts as online as long as it is connected; else it does so while it shows that it writes. */
  @Column('boolean', { name: 'always_online' }) alwaysOnline: boolean;
  /** True where calls to the number are rejected; the gateway does it. */
  @Column('boolean', { name: 'reject_calls' }) rejectCalls: boolean;
  /** Text that the caller of a rejected call gets. */
  @Column('text', { name: 'call_reply', nullable: true }) callReply: string | null;
  /** Restrictions of the number; those that have ended stay in it. */
  @Column('jsonb') restrictions: Restrictions;
  /** Number of connections, or processes, that a stanza of the platform has ended, by its name. */
  @Column('jsonb', { name: 'stanza_ends' }) stanzaEnds: Record<string, number>;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
