import type { Aspect, EndpointOrdering, EndpointStatus, PauseReason, PublicEvent } from '@svc/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A secret that was replaced: sealed, in base64, and how long it still signs, in domain time. */
export interface PreviousSecret {
  sealed: string;
  until: string;
}

/** A pause or reactivation that was asked for. */
export interface StateChange {
  actor: string;
  reason?: string | undefined;
}

/** Steps of a fail-over: under way, done, and to be taken back. */
export type FailoverStep = 'FAILING_OVER' | 'FAILED_OVER' | 'WELL_AGAIN';

/** A receiver of a tenant; bound to one session where external mode made it. */
@Entity('webhook_endpoint')
export class Endpoint {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'session_id', nullable: true }) sessionId: string | null;
  @Column('text') name: string;
  @Column('text') url: string;
  @Column('text', { array: true }) events: PublicEvent[];
  /** Aspects of events that it hears: one that has another aspect is not for it. */
  @Column('text', { array: true }) hears: Aspect[];
  @Column('bytea', { name: 'secret_enc' }) secretEnc: Buffer;
  /** Secrets that were rotated away, the newest first. */
  @Column('jsonb', { name: 'previous_secrets' }) previousSecrets: PreviousSecret[];
  /**
   * Time, of the domain, until which the receiver may not know the secret: 401 and 403 do not count. Null from the first 2xx to an attempt
   * under this secret on; the time also tells one secret from the next.
   */
  @Column('timestamptz', { name: 'new_secret_until', nullable: true }) newSecretUntil: Date | null;
  /** Custom headers by name, each value sealed. */
  @Column('jsonb') headers: Record<string, string>;
  @Column('boolean', { name: 'standard_webhooks' }) standardWebhooks: boolean;
  @Column('text') ordering: EndpointOrdering;
  @Column('text') state: EndpointStatus;
  /** Reason of the last pause: it stays after the reactivation, because `webhook.recovered` repeats it. */
  @Column('text', { name: 'paused_reason', nullable: true }) pausedReason: PauseReason | null;
  @Column('timestamptz', { name: 'paused_at', nullable: true }) pausedAt: Date | null;
  /** True while it is disabled, where it was paused before: once it is enabled it is paused again. */
  @Column('boolean', { name: 'was_paused' }) wasPaused: boolean;
  /** Number of permanent 4xx in a row when it was paused. */
  @Column('int', { name: 'paused_run' }) pausedRun: number;
  /** True when it was reactivated, and nothing has been delivered since. */
  @Column('boolean') recovering: boolean;
  /** The last pause or reactivation that was asked for. */
  @Column('jsonb', { name: 'state_change', nullable: true }) stateChange: StateChange | null;
  /** The last version of the mode of its session under which it was enabled or disabled. */
  @Column('int', { name: 'mode_version' }) modeVersion: number;
  /** Grows with every change. */
  @Column('int') version: number;
  /** Grows with every reactivation: answers to attempts from before do not count. */
  @Column('int') generation: number;
  @Column('int', { name: 'consec_perm4xx' }) consecPerm4xx: number;
  /** Minutes after which its session fails over; null: never. */
  @Column('smallint', { name: 'failover_minutes', nullable: true }) failoverMinutes: number | null;
  /** Time, of the domain, since when it is paused or has answered nothing with 2xx, where its session may fail over. */
  @Column('timestamptz', { name: 'unwell_since', nullable: true }) unwellSince: Date | null;
  @Column('text', { name: 'failover_step', nullable: true }) failoverStep: FailoverStep | null;
  /** Time, of the server, before which nobody looks after its fail-over. */
  @Column('timestamptz', { name: 'failover_due_at' }) failoverDueAt: Date;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
