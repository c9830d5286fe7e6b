import {
  AppError,
  type DisconnectReason,
  type FailureCode,
  type LogoutReason,
  type PairingCode,
  type StatusReason,
} from '@svc/contracts';
import { log, type Place } from '@svc/service';
import { UnreadableSecretError } from '../credentials/vault.js';
import type { Credentials, PlatformListener, PlatformSocket, SocketClose } from '../platform/port.js';
import type { PasskeyReport } from '../platform/passkey.js';
import { ProxyError } from '../platform/proxy.js';
import { failureOf } from '../sending/ledger/failures.js';
import { PairingCodes } from './pairing-codes.js';
import { Passkeys } from './passkeys.js';
import { NextLogin } from './waits/next-login.js';
import type { RunnerTools } from './runner-tools.js';
import { type SessionSnapshot, StatusLog } from './status-log.js';
import { StepQueue } from './step-queue.js';
import { unlink } from './unlink.js';

/** A process that stops does not wait for a database that is gone; the next owner writes what it finds. */
const LAST_STEP_ATTEMPTS = 4;
const DRAIN_MS = 5_000;

/**
 * Holds one session's socket: connects, shows QR codes while they are viewed, reconnects with back-off, and writes down what it observes.
 * The reports of the socket are worked off one step at a time, in order.
 */
export class SessionRunner {
  /** Link that needs a passkey, as far as it has come. */
  readonly passkeys = new Passkeys(() => this.socket?.passkey);
  private credentials: Credentials | undefined;
  private socket: PlatformSocket | undefined;
  /** Number of the socket: reports of a former one are ignored. */
  private generation = 0;
  private loginPlace: Place | undefined;
  private ended = false;
  private timers: { login?: NodeJS.Timeout; viewer?: NodeJS.Timeout } = {};
  private readonly steps: StepQueue;
  private readonly status: StatusLog;
  private readonly codes: PairingCodes;
  private readonly next: NextLogin;
  private alwaysOnline: boolean;

  constructor(
    private readonly session: SessionSnapshot,
    private readonly tools: RunnerTools,
  ) {
    this.status = new StatusLog(session, (change, events) => tools.writeStatus(change, events));
    this.alwaysOnline = tools.alwaysOnline;
    this.codes = new PairingCodes(this.tag);
    this.next = new NextLogin(
      (reason) => this.steps.add(() => this.connect(reason)),
      (wake) => tools.awaitVersion(wake),
    );
    this.steps = new StepQueue(this.tag, {
      leaseLost: () => {
        this.kill();
        tools.onLeaseLost();
      },
      gaveUp: () => this.end(),
    });
    tools.newChats.events.on('changed', (restrictions) =>
      this.steps.add(() => tools.writeRestrictions(restrictions)),
    );
  }

  /**
   * Starts connecting; resolves when that is written down. A session that was connected when its former owner vanished is
   * told to be disconnected first.
   */
  async start(): Promise<void> {
    this.steps.add(async () => {
      const isLost = this.status.isLive;
      if (isLost) await this.status.disconnected('RECONNECTING', 'WORKER_LOST');
      const { wait, isMoving } = this.session;
      if (wait) this.next.after(wait);
      // Callers are told by that reason that it moves (`sessionAway`), until it is back.
      else await this.connect(isLost || isMoving ? 'WORKER_LOST' : 'CONNECT_REQUESTED');
    });
    await this.steps.idle();
    this.assertWritten();
  }

  /** Resolves when what it has observed by now is worked off. */
  async idle(): Promise<void> {
    await this.steps.idle();
  }

  /** The socket, while it is logged in. */
  get connected(): PlatformSocket | undefined {
    return this.status.isLive ? this.socket : undefined;
  }

  /**
   * Makes a code to type on the phone of this number; QR codes keep coming beside it.
   * @throws AppError `ALREADY_LINKED`, `PLATFORM_UNAVAILABLE`
   */
  async pairingCode(phone: string): Promise<PairingCode> {
    const shown = this.codes.shownFor(phone);
    if (shown) return shown;
    const code = this.codes.ask(phone);
    this.steps.add(() => this.restartForPairingCode());
    return code;
  }

  /** Connects anew at once, and tells no tenant: it tries something for all sessions. */
  renew(): void {
    this.steps.add(async () => {
      if (this.ended || !this.status.isLive) return;
      this.dropSocket();
      await this.connect('RESTART_REQUIRED');
    });
  }

  /** Connects anew: its proxy is another one. */
  reroute(): void {
    this.steps.add(async () => {
      if (this.ended || this.next.isLong) return; // its next login goes that way
      this.dropSocket();
      await this.status.disconnected('RECONNECTING', 'PROXY_CHANGED');
      await this.connect('PROXY_CHANGED');
    });
  }

  /** Says whether the number counts as online as long as it is connected; it holds at once. */
  setAlwaysOnline(alwaysOnline: boolean): void {
    this.alwaysOnline = alwaysOnline;
    this.connected?.setAlwaysOnline(alwaysOnline);
  }

  /** Lists the jobs that may be on their way at this moment. */
  inHand(): Promise<string[]> {
    return this.tools.sender.inHand();
  }

  /** Ends in good order: what is under way finishes, the socket closes, the reason is written down. */
  async stop(reason: DisconnectReason): Promise<void> {
    const goesElsewhere = reason === 'MAINTENANCE';
    const keepsStatus = goesElsewhere && this.next.isLong;
    await this.endWith(async () => {
      // The next owner has to wait as long.
      if (keepsStatus) return;
      await this.status.disconnected(goesElsewhere ? 'RECONNECTING' : 'DISCONNECTED', reason);
    });
  }

  /** Unlinks the number on the platform (where it is reachable) and forgets its secrets; what waits fails for this reason. */
  async logout(reason: LogoutReason, failure: FailureCode): Promise<void> {
    const socket = this.connected;
    await this.endWith(async () => {
      await this.unlink(socket).catch((error: unknown) =>
        log().warn({ ...this.tag, err: error }, 'logout not confirmed'),
      );
      await this.forgetLink(reason, failure);
    }, socket === undefined);
  }

  /** Closes without a farewell and without a write: the lease is lost. */
  kill(): void {
    this.steps.stop();
    this.ended = true;
    this.clearTimers();
    this.tools.sender.detach();
    this.socket?.close();
    this.socket = undefined;
    this.codes.refuse();
  }

  private get tag(): { sessionId: string } {
    return { sessionId: this.session.id };
  }

  /** Ends the runner; `close` closes the socket before the last step, else the step still needs it. */
  private async endWith(last: () => Promise<void>, close = true): Promise<void> {
    if (this.steps.stopped) return;
    this.clearTimers();
    await this.tools.sender.drain(DRAIN_MS);
    this.ended = true;
    this.generation += 1;
    this.codes.refuse();
    await this.steps.idle();
    if (close) this.socket?.close();
    await this.steps.saved();
    await this.steps.persist(last, LAST_STEP_ATTEMPTS);
    this.socket?.close();
    this.socket = undefined;
    await this.tools.store.close();
    this.assertWritten();
  }

  private assertWritten(): void {
    if (this.steps.stopped) throw new Error('The session step could not be written.');
  }

  private async connect(reason: StatusReason): Promise<void> {
    if (this.ended) return;
    try {
      this.credentials = await this.usableCredentials();
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      log().error({ ...this.tag, err: error }, 'credentials cannot be read');
      return this.giveUp('CREDENTIALS_UNREADABLE');
    }
    if (!this.credentials.isLinked && (await this.tools.viewedUntil()) <= Date.now())
      return this.giveUp('QR_EXPIRED');
    await this.status.connecting(this.next.reconnects.isFirst, reason);
    if (this.ended) return; // meanwhile, and with nobody left to close what would be opened here
    const generation = ++this.generation;
    this.loginPlace = this.tools.logins.enter(this.session.tenantId, () =>
      this.steps.add(() => this.open(generation)),
    );
  }

  private async open(generation: number): Promise<void> {
    if (generation !== this.generation || this.ended || !this.credentials) return;
    this.timers.login = setTimeout(() => this.loginTimedOut(generation), this.tools.loginTimeoutMs);
    try {
      const socket = await this.tools.open(this.credentials, this.listener(generation));
      // The login's time may have run out meanwhile.
      if (generation === this.generation && !this.ended) this.socket = socket;
      else socket.close();
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      log().warn({ ...this.tag, err: error }, 'proxy not used');
      this.closed(generation, notOpened('PROXY_FAILED'));
    }
  }

  /** Gives up a login by way of its socket, where that is there: who watches it learns that the platform did not let it in. */
  private loginTimedOut(generation: number): void {
    if (this.socket) this.socket.recycle('LOGIN_TIMEOUT');
    else this.closed(generation, notOpened('LOGIN_TIMEOUT'));
  }

  /** Loads the credentials to log in with; half a link (a pairing that was cut off) cannot: it starts afresh. */
  private async usableCredentials(): Promise<Credentials> {
    const credentials = this.credentials ?? (await this.loadCredentials());
    return credentials && !credentials.isHalfLinked ? credentials : this.tools.platform.newCredentials();
  }

  private async loadCredentials(): Promise<Credentials | undefined> {
    const bytes = await this.tools.store.loadCredentials();
    return bytes && this.tools.platform.credentialsFrom(bytes);
  }

  private listener(generation: number): PlatformListener {
    const isCurrent = (): boolean => generation === this.generation && !this.ended;
    return {
      onQr: (...qr) => isCurrent() && this.loggedIn(() => this.showQr(...qr)),
      onPairingCode: (code) => isCurrent() && this.codeReplaced(code),
      onPasskey: (report) => isCurrent() && this.passkeyReported(report),
      onOpen: (phone) => isCurrent() && this.loggedIn(() => this.opened(phone)),
      onDoubt: (reason) => isCurrent() && this.steps.add(() => this.status.doubted(reason)),
      onClose: (close) => this.closed(generation, close),
      onCredentials: () => this.steps.save(() => this.saveCredentials()),
      onRestriction: (restriction) => isCurrent() && this.tools.newChats.apply(restriction),
      ...this.tools.sender.listener,
    };
  }

  /** Reports that the socket works: the next session may log in. */
  private loggedIn(step: () => Promise<void>): void {
    this.loginPlace?.leave();
    this.steps.add(step);
  }

  private codeReplaced(code: PairingCode | undefined): void {
    if (this.codes.replace(code)) this.steps.add(() => this.status.codeReplaced(code?.expiresAt));
  }

  private passkeyReported(report: PasskeyReport): void {
    this.passkeys.take(report);
    this.steps.add(() => this.status.passkey(report));
  }

  private async showQr(code: string, expiresAt: Date, isRedrawn = false): Promise<void> {
    clearTimeout(this.timers.login);
    const until = await this.tools.viewedUntil();
    if (until <= Date.now()) return this.giveUp('QR_EXPIRED');
    this.awaitViewer(until);
    await this.status.awaitingScan(code, expiresAt, isRedrawn);
    if (this.socket) void this.codes.fetch(this.socket, until);
  }

  /** Restarts with a socket for the code alone: the time of one that shows QR codes is partly used. */
  private async restartForPairingCode(): Promise<void> {
    if (this.credentials?.isLinked) return this.codes.refuse(new AppError('ALREADY_LINKED'));
    if (this.status.is('PASSKEY_REQUIRED')) return this.codes.refuse(new AppError('PASSKEY_CONFLICT'));
    if (!this.status.is('AWAITING_SCAN') || !this.codes.isAwaited) return; // it is on its way
    this.dropSocket();
    await this.connect('CONNECT_REQUESTED');
  }

  private awaitViewer(until: number): void {
    clearTimeout(this.timers.viewer);
    this.timers.viewer = setTimeout(() => this.steps.add(() => this.checkViewer()), until - Date.now());
  }

  private async checkViewer(): Promise<void> {
    if (!this.status.is('AWAITING_SCAN')) return;
    const until = await this.tools.viewedUntil();
    if (until <= Date.now()) return this.giveUp('QR_EXPIRED');
    this.awaitViewer(until);
  }

  /** Stops connecting until the next wish. */
  private async giveUp(reason: DisconnectReason): Promise<void> {
    this.dropSocket();
    await this.status.disconnected('DISCONNECTED', reason, { stops: true });
    this.end();
  }

  private async opened(phone: string): Promise<void> {
    this.clearTimers();
    this.next.reconnects.opened(performance.now());
    await this.status.connected(phone);
    if (!this.socket) return;
    this.socket.setAlwaysOnline(this.alwaysOnline);
    this.tools.sender.attach(this.socket);
    void this.tools.newChats.ask(this.socket); // while it was away it may have been restricted, or not be any more
  }

  private closed(generation: number, close: SocketClose): void {
    if (generation !== this.generation || this.ended) return;
    const { next, reason, isMalfunction, code, until } = close;
    if (isMalfunction) this.countMalfunction(reason);
    this.dropSocket();
    this.steps.add(async () => {
      log().info({ ...this.tag, code, next }, 'socket closed');
      if (next === 'logged-out') return this.unlinked(reason);
      if (next === 'again') return this.connect(reason);
      const stops = next === 'stop';
      await this.status.disconnected(stops ? 'DISCONNECTED' : 'RECONNECTING', reason, { stops, until });
      if (stops) this.end();
      else this.next.after({ reason, until });
    });
  }

  private countMalfunction(reason: StatusReason): void {
    const { reconnects } = this.next;
    reconnects.malfunctioned(performance.now());
    const { malfunctions: recycles } = reconnects;
    log().warn({ ...this.tag, reason, recycles }, 'session does not work: connected anew');
  }

  private async unlinked(reason: LogoutReason): Promise<void> {
    await this.forgetLink(reason, 'SESSION_LOGGED_OUT');
    this.end();
  }

  private async unlink(socket: PlatformSocket | undefined): Promise<void> {
    await unlink(socket, socket ? undefined : await this.loadCredentials(), this.tools);
  }

  private async forgetLink(reason: LogoutReason, failure: FailureCode): Promise<void> {
    await this.tools.store.forget();
    await this.status.loggedOut(reason);
    await this.tools.failMessages(failureOf(failure));
  }

  /** Ends by itself; what the status says is written. */
  private end(): void {
    this.ended = true;
    this.dropSocket();
    this.codes.refuse();
    void this.tools.store.close();
    this.tools.onEnded();
  }

  private dropSocket(): void {
    this.clearTimers();
    this.codes.forget();
    this.passkeys.lose();
    this.tools.sender.detach();
    this.generation += 1;
    this.socket?.close();
    this.socket = undefined;
  }

  private async saveCredentials(): Promise<void> {
    if (this.credentials) await this.tools.store.saveCredentials(this.credentials.toBytes());
  }

  private clearTimers(): void {
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers = {};
    this.next.cancel();
    this.loginPlace?.leave();
  }
}

/** Makes the close of a socket that was never there. */
function notOpened(reason: DisconnectReason): SocketClose {
  return { next: 'later', reason, isMalfunction: true };
}
