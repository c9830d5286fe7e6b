import {
  AppError,
  type Envelope,
  type FailureCode,
  type PairingCode,
  type StatusReason,
} from '@svc/contracts';
import { log } from '@svc/service';
import type { SessionStore } from '../journal/session-store.js';
import { UnreadableSecretError } from '../credentials/vault.js';
import { type Credentials, isLinked, newCredentials } from '../platform/whatsapp/keys/credentials.js';
import { ProxyError } from '../platform/proxy.js';
import {
  NEW_CHAT_REFUSED,
  type PlatformListener,
  type PlatformSocket,
  QR_LIFETIME_MS,
} from '../platform/port.js';
import { failureOf } from '../sending/outbound.js';
import type { Ledger } from '../sending/ledger.js';
import type { NewChats } from '../sending/new-chats.js';
import type { SessionSender } from '../sending/session-sender.js';
import type { Restrictions } from '../sessions/restrictions.js';
import type { StatusChange } from '../sessions/session-rows.js';
import { reconnectDelayMs, troublesAfter, verdictOn } from '../platform/whatsapp/socket/close-codes.js';
import type { LoginGate, LoginTurn } from './login-gate.js';
import { PairingCodes } from './pairing-codes.js';
import { StepQueue } from './step-queue.js';
import { type HeldSession, ToldStatus } from './told-status.js';
import { unlink } from './unlink.js';

/** A process that stops does not wait for a database that is gone; the next owner writes what it finds. */
const LAST_WORDS_ATTEMPTS = 4;
const DRAIN_MS = 5_000;

/** What a runner works with; made for it by `RunnersService`. */
export interface RunnerTools {
  store: SessionStore;
  ledger: Ledger;
  sender: SessionSender;
  newChats: NewChats;
  loginTimeoutMs: number;
  logins: LoginGate;
  /** @throws ProxyError */
  open(credentials: Credentials, listener: PlatformListener): Promise<PlatformSocket>;
  writeStatus(change: StatusChange, events: Envelope[]): Promise<void>;
  writeRestrictions(restrictions: Restrictions): Promise<void>;
  /** Until when somebody looks at the QR code, in ms since 1970. */
  lookedAtUntil(): Promise<number>;
  /** A write was refused because the partition belongs to somebody else. */
  onLeaseLost(): void;
  /** The runner has ended by itself. */
  onEnded(): void;
}

/**
 * Holds one session's socket: connects, shows QR codes while somebody looks, reconnects with back-off, and writes down
 * what it observes. What the socket tells is worked off one at a time, in order.
 */
export class SessionRunner {
  private credentials: Credentials | undefined;
  private socket: PlatformSocket | undefined;
  private attempt = 0;
  private openedAt = 0;
  /** How often a socket did not work, and how often in a row, each soon after it had opened. */
  private recycles = { all: 0, inARow: 0 };
  private generation = 0;
  private turn: LoginTurn | undefined;
  private ended = false;
  private timers: { login?: NodeJS.Timeout; look?: NodeJS.Timeout; reconnect?: NodeJS.Timeout } = {};
  private readonly steps: StepQueue;
  private readonly told: ToldStatus;
  private readonly codes: PairingCodes;

  constructor(
    private readonly session: HeldSession,
    private readonly tools: RunnerTools,
  ) {
    this.told = new ToldStatus(session, (change, events) => tools.writeStatus(change, events));
    this.codes = new PairingCodes(this.tag);
    this.steps = new StepQueue(this.tag, {
      leaseLost: () => {
        this.kill();
        tools.onLeaseLost();
      },
      gaveUp: () => this.over(),
    });
    const { newChats } = tools;
    newChats.onChange = () => this.steps.do(() => tools.writeRestrictions(newChats.kept));
  }

  /**
   * Starts connecting; resolves when that is written down. A session that was connected when its former owner vanished is
   * told to be disconnected first.
   */
  async start(): Promise<void> {
    this.steps.do(async () => {
      if (this.told.is('CONNECTED')) await this.told.disconnected('RECONNECTING', 'WORKER_LOST');
      await this.connect('CONNECT_REQUESTED');
    });
    await this.steps.idle();
    this.assertWritten();
  }

  /** Resolves when what it has observed by now is worked off. */
  async idle(): Promise<void> {
    await this.steps.idle();
  }

  /** There may be something to send. */
  wake(): void {
    this.tools.sender.wake();
  }

  /** The socket, while it is logged in. */
  get connected(): PlatformSocket | undefined {
    return this.told.is('CONNECTED') ? this.socket : undefined;
  }

  /**
   * A code to type on the phone of this number; QR codes keep coming beside it.
   * @throws AppError `ALREADY_LINKED`, `PLATFORM_UNAVAILABLE`
   */
  async pairingCode(phone: string): Promise<PairingCode> {
    const shown = this.codes.shownFor(phone);
    if (shown) return shown;
    const code = this.codes.ask(phone);
    this.steps.do(() => this.makeWayForCode());
    return code;
  }

  /** Connects anew: its proxy is another one. */
  reroute(): void {
    this.steps.do(async () => {
      if (this.ended) return;
      this.dropSocket();
      await this.told.disconnected('RECONNECTING', 'PROXY_CHANGED');
      await this.connect('PROXY_CHANGED');
    });
  }

  /** Jobs that may be on their way at this moment. */
  inHand(): Promise<string[]> {
    return this.tools.sender.inHand();
  }

  /** Ends in good order: what is under way finishes, the socket closes, the reason is written down. */
  async stop(reason: StatusReason): Promise<void> {
    await this.end(async () => {
      const handedOver = reason === 'MAINTENANCE';
      await this.told.disconnected(handedOver ? 'RECONNECTING' : 'DISCONNECTED', reason);
    });
  }

  /** Unlinks the number on the platform (where it is reachable) and forgets its secrets; what waits fails as told. */
  async logout(reason: StatusReason, failure: FailureCode): Promise<void> {
    const socket = this.connected;
    await this.end(async () => {
      await unlink(socket, this.tools).catch((error: unknown) =>
        log().warn({ ...this.tag, err: error }, 'logout not confirmed'),
      );
      await this.loggedOut(reason, failure);
    }, socket === undefined);
  }

  /** Lease lost: closes without a word and without a write. */
  kill(): void {
    this.steps.stop();
    this.ended = true;
    this.settle();
    this.tools.sender.detach();
    this.socket?.close();
    this.socket = undefined;
    this.codes.refuse();
  }

  private get tag(): { sessionId: string } {
    return { sessionId: this.session.id };
  }

  private async end(last: () => Promise<void>, close = true): Promise<void> {
    if (this.ended) return;
    this.settle();
    await this.tools.sender.drain(DRAIN_MS);
    this.ended = true;
    this.generation += 1;
    this.codes.refuse();
    await this.steps.idle();
    if (close) this.socket?.close();
    await this.steps.saved();
    await this.steps.persist(last, LAST_WORDS_ATTEMPTS);
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
      this.credentials = await this.loadCredentials();
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      log().error({ ...this.tag, err: error }, 'credentials cannot be read');
      return this.rest('CREDENTIALS_UNREADABLE');
    }
    if (!isLinked(this.credentials) && (await this.tools.lookedAtUntil()) <= Date.now())
      return this.rest('QR_EXPIRED');
    await this.told.connecting(this.attempt === 0, reason);
    if (this.ended) return; // meanwhile, and with nobody left to close what would be opened here
    const generation = ++this.generation;
    this.turn = this.tools.logins.enter(() => this.steps.do(() => this.open(generation)));
  }

  private async open(generation: number): Promise<void> {
    if (generation !== this.generation || this.ended || !this.credentials) return;
    this.timers.login = setTimeout(
      () => this.closed(generation, 408, 'LOGIN_TIMEOUT'),
      this.tools.loginTimeoutMs,
    );
    try {
      const socket = await this.tools.open(this.credentials, this.listener(generation));
      // The login's time may have run out meanwhile.
      if (generation === this.generation && !this.ended) this.socket = socket;
      else socket.close();
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      log().warn({ ...this.tag, err: error }, 'proxy not used');
      this.closed(generation, 408, 'PROXY_FAILED');
    }
  }

  private async loadCredentials(): Promise<Credentials> {
    const kept = this.credentials ?? (await this.tools.store.loadCredentials());
    // Half a link (a pairing that was cut off) cannot log in: start afresh.
    return kept && (isLinked(kept) || !kept.me) ? kept : newCredentials();
  }

  private listener(generation: number): PlatformListener {
    const current = (): boolean => generation === this.generation && !this.ended;
    return {
      onQr: (qr) => current() && this.through(() => this.showQr(qr)),
      onOpen: (phone) => current() && this.through(() => this.opened(phone)),
      onClose: (code, reason) => this.closed(generation, code, reason),
      onCredentials: () => this.steps.save(() => this.saveCredentials()),
      onAck: (keyId, error) => {
        if (error === NEW_CHAT_REFUSED && this.socket) this.tools.newChats.refused(this.socket);
        this.tools.sender.onAck(keyId, error);
      },
      onRestriction: (told) => current() && this.tools.newChats.hear(told),
      onReceipt: (keyIds, kind, at) => this.tools.sender.onReceipt(keyIds, kind, at),
    };
  }

  /** The socket works: the next one may log in. */
  private through(step: () => Promise<void>): void {
    this.turn?.leave();
    this.steps.do(step);
  }

  private async showQr(code: string): Promise<void> {
    clearTimeout(this.timers.login);
    const until = await this.tools.lookedAtUntil();
    if (until <= Date.now()) return this.rest('QR_EXPIRED');
    clearTimeout(this.timers.look);
    this.timers.look = setTimeout(() => this.steps.do(() => this.lookAgain()), until - Date.now());
    const expiresAt = new Date(Date.now() + QR_LIFETIME_MS);
    await this.told.awaitingScan(code, expiresAt);
    if (this.socket) void this.codes.fetch(this.socket, until);
  }

  /** The time of a socket that shows QR codes is partly over: a code gets a socket of its own. */
  private async makeWayForCode(): Promise<void> {
    if (this.credentials && isLinked(this.credentials)) {
      return this.codes.refuse(new AppError('ALREADY_LINKED'));
    }
    if (!this.told.is('AWAITING_SCAN') || !this.codes.isAwaited) return; // it is on its way
    this.dropSocket();
    await this.connect('CONNECT_REQUESTED');
  }

  private async lookAgain(): Promise<void> {
    if (!this.told.is('AWAITING_SCAN')) return;
    const left = (await this.tools.lookedAtUntil()) - Date.now();
    if (left <= 0) return this.rest('QR_EXPIRED');
    this.timers.look = setTimeout(() => this.steps.do(() => this.lookAgain()), left);
  }

  /** Until somebody asks for it again. */
  private async rest(reason: StatusReason): Promise<void> {
    this.dropSocket();
    await this.told.disconnected('DISCONNECTED', reason, true);
    this.over();
  }

  private async opened(phone: string): Promise<void> {
    this.settle();
    this.attempt = 0;
    this.openedAt = performance.now();
    await this.told.connected(phone);
    if (!this.socket) return;
    this.tools.sender.attach(this.socket);
    void this.tools.newChats.ask(this.socket); // while it was away it may have been restricted, or not be any more
  }

  private closed(generation: number, code: number, reason?: StatusReason): void {
    if (generation !== this.generation || this.ended) return;
    const verdict = verdictOn(code);
    if (reason) this.recycled(reason);
    this.dropSocket();
    this.steps.do(async () => {
      log().info({ ...this.tag, code, next: verdict.next }, 'socket closed');
      if (verdict.next === 'logged-out') return this.unlinked(verdict.reason);
      if (verdict.next === 'again') return this.connect(verdict.reason);
      const stops = verdict.next === 'stop';
      const status = stops ? 'DISCONNECTED' : 'RECONNECTING';
      await this.told.disconnected(status, reason ?? verdict.reason, stops);
      if (stops) this.over();
      else this.reconnectLater(reason ?? verdict.reason);
    });
  }

  /** What goes wrong again and again makes each connection wait longer, though every login succeeds. */
  private recycled(reason: StatusReason): void {
    const inARow = troublesAfter(this.recycles.inARow, performance.now() - this.openedAt);
    this.recycles = { all: this.recycles.all + 1, inARow };
    this.attempt = Math.max(this.attempt, inARow);
    log().warn({ ...this.tag, reason, recycles: this.recycles.all }, 'session does not work: connected anew');
  }

  private reconnectLater(reason: StatusReason): void {
    this.attempt += 1;
    const delay = reconnectDelayMs(this.attempt, Math.random());
    this.timers.reconnect = setTimeout(() => this.steps.do(() => this.connect(reason)), delay);
  }

  private async unlinked(reason: StatusReason): Promise<void> {
    await this.loggedOut(reason, 'SESSION_LOGGED_OUT');
    this.over();
  }

  private async loggedOut(reason: StatusReason, failure: FailureCode): Promise<void> {
    await this.tools.store.forget();
    await this.told.loggedOut(reason);
    await this.tools.ledger.fail(null, failureOf(failure));
  }

  /** Ends by itself; what the status says is written. */
  private over(): void {
    this.ended = true;
    this.dropSocket();
    this.codes.refuse();
    void this.tools.store.close();
    this.tools.onEnded();
  }

  private dropSocket(): void {
    this.settle();
    this.codes.forget();
    this.tools.sender.detach();
    this.generation += 1;
    this.socket?.close();
    this.socket = undefined;
  }

  private async saveCredentials(): Promise<void> {
    if (this.credentials) await this.tools.store.saveCredentials(this.credentials);
  }

  private settle(): void {
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers = {};
    this.turn?.leave();
  }
}
