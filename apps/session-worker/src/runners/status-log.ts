import {
  type DisconnectReason,
  type Envelope,
  type EventContract,
  isLive,
  type LogoutReason,
  SessionConnected,
  SessionDisconnected,
  SessionLoggedOut,
  SessionPairingCodeReplaced,
  SessionPasskeyChanged,
  SessionPasskeyRequired,
  SessionQrGenerated,
  type SessionStatus,
  type StatusReason,
} from '@svc/contracts';
import { eventOf, log } from '@svc/service';
import type { PasskeyReport } from '../platform/passkey.js';
import type { StatusChange } from '../sessions/session-rows.js';
import { isLongWait, type Wait } from './waits/next-login.js';

/** A session, and the status of it that was written last. */
export interface SessionSnapshot {
  id: string;
  tenantId: string;
  status: SessionStatus;
  /** Number that is linked, in E.164 form. */
  phone: string | null;
  /** Wait before it logs in again, where another process had it wait. */
  wait?: Wait | undefined;
  /** True when it was on its way from one process to another. */
  isMoving?: boolean;
}

/** Writes each change of one session's status, together with the event that reports it to tenants. */
export class StatusLog {
  private phone: string | null;
  /** Tenants take the session for live: they were told so, and of no end since. */
  private isThoughtLive: boolean;
  /** Long wait that tenants have been told of. */
  private toldWait: Wait | undefined;
  private status: SessionStatus;
  /** Last change that was written. */
  private last: StatusChange | undefined;

  constructor(
    private readonly session: SessionSnapshot,
    private readonly write: (change: StatusChange, events: Envelope[]) => Promise<void>,
  ) {
    this.status = session.status;
    this.phone = session.phone;
    this.isThoughtLive = isLive(session.status);
    this.toldWait = session.wait;
  }

  is(status: SessionStatus): boolean {
    return this.status === status;
  }

  /** Says whether the session is connected, whatever doubts there are. */
  get isLive(): boolean {
    return isLive(this.status);
  }

  /** Writes that the session is connecting; tenants get no event of it. */
  connecting(isFirst: boolean, reason: StatusReason): Promise<void> {
    return this.observe({ status: isFirst ? 'CONNECTING' : 'RECONNECTING', reason });
  }

  /** The session is live; `digits` are its number. */
  async connected(digits: string): Promise<void> {
    const phone = `+${digits}`;
    this.phone = phone;
    const event = this.event(SessionConnected, { phone });
    await this.observe({ status: 'CONNECTED', reason: 'LOGGED_IN', phone }, event);
    this.toldWait = undefined;
    this.isThoughtLive = true;
  }

  /**
   * Writes that there are doubts whether the connection works, or none any more. Tenants get no event of it: if the doubts are right, they
   * are told of the end.
   */
  async doubted(reason: DisconnectReason | undefined): Promise<void> {
    if (!this.isLive || (reason === undefined && this.is('CONNECTED'))) return;
    log().warn(
      { sessionId: this.session.id, reason },
      reason ? 'session is doubted' : 'session is trusted again',
    );
    await this.observe(
      reason ? { status: 'DEGRADED', reason } : { status: 'CONNECTED', reason: 'LOGGED_IN' },
    );
  }

  /** Writes that the session shows a QR code to scan; `isRedrawn`: to scan once more. */
  async awaitingScan(code: string, expiresAt: Date, isRedrawn: boolean): Promise<void> {
    const shown = { qr: code, expiresAt: expiresAt.toISOString() };
    const event = this.event(SessionQrGenerated, isRedrawn ? { ...shown, reason: 'refreshed' } : shown);
    await this.observe({ status: 'AWAITING_SCAN', reason: 'QR_READY', qr: { code, expiresAt } }, event);
  }

  /** Tells that the code to type is another one, or none (without `expiresAt`); beside it the QR code stays what it is. */
  async codeReplaced(expiresAt: string | undefined): Promise<void> {
    const event = this.event(SessionPairingCodeReplaced, expiresAt === undefined ? {} : { expiresAt });
    if (this.last && this.is('AWAITING_SCAN')) await this.observe(this.last, event);
  }

  /** Writes how a link that needs a passkey goes. Neither challenge nor code is written. */
  passkey(report: PasskeyReport): Promise<void> {
    const { stage } = report;
    if (stage === 'linked' || stage === 'failed') {
      const reason = stage === 'linked' ? 'LINKED' : 'PASSKEY_FAILED';
      return this.observe({ status: 'CONNECTING', reason }, this.passkeyEnded(report));
    }
    const expiresAt = report.expiresAt.toISOString();
    const event =
      stage === 'challenge'
        ? this.event(SessionPasskeyRequired, { expiresAt })
        : this.event(SessionPasskeyChanged, { stage, expiresAt });
    return this.observe(
      { status: 'PASSKEY_REQUIRED', reason: 'PASSKEY_ASKED', until: report.expiresAt },
      event,
    );
  }

  /**
   * Reports to tenants only what they could see: a session that they take for live; or (`stops`) that it gives up: its QR code was not scanned,
   * or the platform does not let it come back; or that it waits for long, once for each such wait.
   */
  async disconnected(
    status: 'DISCONNECTED' | 'RECONNECTING',
    reason: DisconnectReason,
    { stops = false, until }: { stops?: boolean; until?: Date | undefined } = {},
  ): Promise<void> {
    const event = this.event(SessionDisconnected, {
      ...{ phone: this.phone, reason, willReconnect: status === 'RECONNECTING' },
      ...(until && { until: until.toISOString(), statusUntil: until.toISOString() }),
      ...{ status, statusReason: reason },
    });
    const isNews = stops || this.isThoughtLive || (isLongWait(reason) && !this.isTold({ reason, until }));
    await this.observe({ status, reason, until }, ...(isNews ? [event] : []));
    this.isThoughtLive = false;
    if (isLongWait(reason)) this.toldWait = { reason, until };
  }

  /** Says whether tenants know of a wait; a ban that follows on another one has an end of its own. */
  private isTold({ reason, until }: Wait): boolean {
    return this.toldWait?.reason === reason && this.toldWait.until?.getTime() === until?.getTime();
  }

  async loggedOut(reason: LogoutReason): Promise<void> {
    const status = 'LOGGED_OUT';
    const event = this.event(SessionLoggedOut, { phone: this.phone, reason, status, statusReason: reason });
    await this.observe({ status, reason, phone: null }, event);
    this.phone = null;
    this.isThoughtLive = false;
  }

  private passkeyEnded(report: Extract<PasskeyReport, { stage: 'linked' | 'failed' }>): Envelope {
    const { stage } = report;
    return this.event(
      SessionPasskeyChanged,
      stage === 'failed' ? { stage, reason: report.reason } : { stage },
    );
  }

  private event<T extends object>(
    contract: EventContract<T>,
    data: Omit<T, 'sessionId' | 'timestamp'>,
  ): Envelope {
    const { id, tenantId } = this.session;
    const whole = { sessionId: id, ...data, timestamp: new Date().toISOString() } as unknown as T;
    return eventOf(contract, tenantId, whole);
  }

  private async observe(change: StatusChange, ...events: Envelope[]): Promise<void> {
    // An end on the way has been told to nobody: the worker was lost, or somebody wished to stop.
    const isLost = this.is('PASSKEY_REQUIRED') && change.status !== 'PASSKEY_REQUIRED';
    const isTold = events.some(({ type }) => type === SessionPasskeyChanged.name);
    const lost = this.passkeyEnded({ stage: 'failed', reason: 'CONNECTION_LOST' });
    await this.write(change, isLost && !isTold ? [lost, ...events] : events);
    this.status = change.status;
    this.last = change;
  }
}
