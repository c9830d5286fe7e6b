import { setTimeout as delay } from 'node:timers/promises';
import { type BotMode, CONTENT, type FailureCode, isGroup } from '@svc/contracts';
import { isOfContent, patiently } from '@svc/database';
import { log, UnderWay } from '@svc/service';
import { NoAnswerError } from '../platform/errors.js';
import type { MessageListener, PlatformSocket, Refusal } from '../platform/port.js';
import { atStep } from '../steps.js';
import { failureOf, MAX_TRIES, refusalFields, sendFailureOf, wordsOf } from './ledger/failures.js';
import { FilesAhead } from './files/files-ahead.js';
import type { Ledger, LedgerMessage, LedgerScope } from './ledger/ledger.js';
import type { NewChats } from './new-chats.js';
import { personsIn } from './persons-named.js';
import { reasonAgainst } from './reason-against.js';
import type { SendStatus } from './ledger/outbound.js';
import type { OutgoingFiles } from './files/outgoing-files.js';
import type { ReceiptWriter } from './ledger/receipt-writer.js';
import { SendWindow } from './send-window.js';

const RETRY_MS = 1_000;

/** Tools of a sender; `SessionSenders` makes them. */
export interface SenderTools {
  scope: LedgerScope;
  ledger: Pick<Ledger, keyof Ledger>;
  receipts: Pick<ReceiptWriter, 'record'>;
  newChats: Pick<NewChats, 'refusalOf' | 'refused'>;
  files: Pick<OutgoingFiles, 'upload'>;
  /** Senders with an open socket, by session. */
  attached: Map<string, SessionSender>;
  /** Longest wait of a message for its session, in ms. */
  expiryMs: number;
  /** Longest wait for the platform's acknowledgement of a message, in ms. */
  ackTimeoutMs: number;
}

/**
 * Sends one session's messages in order while its socket is open. What was handed over when the socket broke is sent
 * again under the same message id, so that nothing is lost and nothing arrives twice.
 */
export class SessionSender {
  /** Listener for acks and receipts of its messages. */
  readonly listener: MessageListener = {
    onAck: (keyId, refusal) => this.onAck(keyId, refusal),
    onReceipt: (keyIds, kind, at) => this.onReceipt(keyIds, kind, at),
  };

  private socket: PlatformSocket | undefined;
  private readonly window = new SendWindow();
  /** Timers of messages in flight, by key id. */
  private readonly ackTimers = new Map<string, NodeJS.Timeout>();
  /** Writes of acks, receipts and failures that are under way. */
  private readonly writes = new UnderWay();
  private sending: Promise<void> | undefined;
  private claiming: Promise<LedgerMessage[]> | undefined;
  private handingOver: Promise<boolean> | undefined;
  private again = false;
  /** True when there may be messages that nobody has claimed yet. */
  private more = false;
  /** Ends the hand-over under way: a socket that breaks leaves it hanging. */
  private interrupt: () => void = () => undefined;

  private readonly files: FilesAhead;

  constructor(private readonly tools: SenderTools) {
    this.files = new FilesAhead(tools, {
      done: () => this.wake(),
      failed: (message, error) => this.tryFailed(message, error),
    });
  }

  /** Sends the waiting messages over an open socket, first those that a former socket or owner had begun. */
  attach(socket: PlatformSocket): void {
    this.detach();
    this.socket = socket;
    this.tools.attached.set(this.sessionId, this);
    this.files.attach(socket);
    this.wake();
  }

  /** Lets go of a socket that is gone; what it had not acknowledged waits for the next one. */
  detach(): void {
    this.socket = undefined;
    if (this.tools.attached.get(this.sessionId) === this) this.tools.attached.delete(this.sessionId);
    this.files.detach();
    for (const timer of this.ackTimers.values()) clearTimeout(timer);
    this.ackTimers.clear();
    this.window.reset();
    this.interrupt();
    this.interrupt = () => undefined; // it holds on to the socket
  }

  /** Looks for messages to send. */
  wake(): void {
    this.more = true;
    this.go();
  }

  /** Waits until the messages that were handed over are acknowledged and written, at most `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.socket = undefined; // nothing new goes out
    this.files.detach();
    const limit = new AbortController();
    await Promise.race([this.quiet(), delay(limitMs, undefined, limit).catch(() => undefined)]);
    limit.abort();
    this.detach();
  }

  /** Lists the jobs that may be on their way at this moment; what is being claimed is waited for. */
  async inHand(): Promise<string[]> {
    await this.claiming?.catch(() => undefined);
    return this.window.jobIds;
  }

  /** Hands over nothing of another mode from now on; resolves when nothing of it is being handed over either. */
  async keepTo(mode: BotMode): Promise<void> {
    this.window.keepTo(mode);
    await this.handingOver?.catch(() => undefined);
  }

  private get sessionId(): string {
    return this.tools.scope.sessionId;
  }

  private go(): void {
    this.again = true;
    this.sending ??= this.run().finally(() => {
      this.sending = undefined;
      if (this.again && this.socket) setTimeout(() => this.go(), RETRY_MS);
    });
  }

  private async run(): Promise<void> {
    while (this.socket && this.again) {
      this.again = false;
      const { room } = this.window;
      if (room <= 0 || this.files.isFull) return; // an ack wakes it, or a file
      try {
        if (!(await this.sendUpTo(room, this.socket))) return;
      } catch (error) {
        log().warn({ err: error }, 'sending pauses');
        this.again = this.more = true;
        return;
      }
    }
  }

  /** Sends up to `room` messages; false when one could not be handed over: those behind it wait for it. */
  private async sendUpTo(room: number, socket: PlatformSocket): Promise<boolean> {
    this.more = false; // a message that arrives meanwhile sets it again
    const messages = await this.claim(room);
    this.more ||= messages.length === room;
    const areHandedOver = await this.sendAll(messages, socket).finally(() => this.window.claim([]));
    this.again ||= this.more && this.window.isHalfEmpty;
    if (this.socket === socket) return areHandedOver;
    // The messages that the former socket left unacknowledged come before these in their chats: all of it is claimed anew.
    this.again = this.more = true;
    return true;
  }

  private async claim(limit: number): Promise<LedgerMessage[]> {
    const { scope, ledger, expiryMs } = this.tools;
    const except = { exceptJobs: this.window.jobIds, exceptChats: this.files.chats };
    this.window.claim([]); // the claim reads the mode anew
    this.claiming = ledger.claim({ ...scope, limit, expiryMs, ...except });
    try {
      const messages = await this.claiming;
      this.window.claim(messages);
      return messages;
    } finally {
      this.claiming = undefined;
    }
  }

  private async sendAll(messages: LedgerMessage[], socket: PlatformSocket): Promise<boolean> {
    // A message is also passed when its file is there already: those behind it in its chat come with the next claim.
    const passed = new Set<string>();
    for (const claimed of messages) {
      if (this.socket !== socket) return false;
      this.handingOver = this.sendNext(claimed, socket, passed);
      if (!(await this.handingOver)) return false;
    }
    return true;
  }

  private async sendNext(one: LedgerMessage, socket: PlatformSocket, passed: Set<string>): Promise<boolean> {
    const message = await this.addressed(one, socket);
    if (!message) return false;
    // Under the address of its account it may be of a chat that waits.
    const isHeldUp = passed.has(message.to) || this.files.chats.includes(message.to);
    if (isHeldUp || (await this.refuse(message, socket))) return true;
    if (this.socket !== socket) return false;
    if (!CONTENT[message.content.type].sending.hasFile || message.uploaded) return this.send(message, socket);
    passed.add(message.to);
    this.files.add(message);
    return true;
  }

  /**
   * Addresses the message to the accounts of its recipient and of the persons that it names; undefined where they are not found, or the
   * database refuses them: those behind it wait for it.
   */
  private async addressed(
    message: LedgerMessage,
    socket: PlatformSocket,
  ): Promise<LedgerMessage | undefined> {
    const { content } = message;
    const persons = content.accounts ? [] : personsIn(content);
    const find = async (): Promise<LedgerMessage> => {
      const asked = message.requestedTo ?? message.to;
      const to = isGroup(message.to) ? message.to : await this.whileOpen(socket.addressOf(asked));
      if (persons.length === 0) return to === message.to ? message : { ...message, to };
      const accounts = await this.whileOpen(socket.accountsOf(persons));
      return { ...message, to, content: { ...content, accounts } };
    };
    const found = await find().catch((error: unknown) => void this.notHandedOver(message, socket, error));
    if (!found || found === message) return found ?? undefined;
    const { ledger, scope } = this.tools;
    try {
      await ledger.readdress(scope, found.jobId, found.to, found.content.accounts);
      return found;
    } catch (error) {
      if (!isOfContent(error)) throw error;
      this.notHandedOver(message, socket, error);
      return undefined;
    }
  }

  /** Fails a message that must not go out. Says whether it did. */
  private async refuse(message: LedgerMessage, socket: PlatformSocket): Promise<boolean> {
    const { newChats, ledger } = this.tools;
    const isLate = this.window.isOutOfMode(message);
    const reason = isLate ? 'BOT_MODE_CHANGED' : await newChats.refusalOf(message, socket);
    const code = reason ?? (await this.whileOpen(reasonAgainst(message, socket, ledger, this.window)));
    if (code) this.fail(message, code);
    return code !== undefined;
  }

  private async send(message: LedgerMessage, socket: PlatformSocket): Promise<boolean> {
    this.window.handOver(message); // before the hand-over ends: the ack may be faster
    try {
      await this.whileOpen(socket.send(message));
      atStep('out-6');
      this.expectAck(message);
      return true;
    } catch (error) {
      this.notHandedOver(message, socket, error);
      return false;
    }
  }

  /** Waits for work of the socket no longer than the socket is there. */
  private whileOpen<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.interrupt = () => reject(new Error('The socket is gone.'));
      work.then(resolve, reject);
    });
  }

  private notHandedOver(message: LedgerMessage, socket: PlatformSocket, error: unknown): void {
    this.again = this.more = true;
    if (this.socket === socket) this.tryFailed(message, error);
  }

  private onAck(keyId: string, refusal: Refusal | undefined): void {
    this.answered();
    if (refusal?.isOfNewChat && this.socket) this.tools.newChats.refused(this.socket);
    const message = this.take(keyId);
    if (!refusal) {
      atStep('out-7');
      if (message) this.window.beginWrite(message);
      this.write([keyId], 'SENT', new Date()).then(
        () => this.endWrite(keyId),
        (error: unknown) => this.ackNotWritten(keyId, message, error),
      );
    } else if (message) this.fail(message, 'REJECTED_BY_PLATFORM', refusal.detail);
    this.useRoom();
  }

  /**
   * An ack that cannot be written is lost: the message goes out again, under the same id, and is acknowledged again. One that is refused
   * for its content's sake would be so every time: there the message ends.
   */
  private ackNotWritten(keyId: string, message: LedgerMessage | undefined, error: unknown): void {
    if (!message || !isOfContent(error)) return this.claimAgain(keyId);
    log().error(
      refusalFields(message.jobId, error),
      'acknowledgement is refused: its message is told as failed',
    );
    this.fail(message, 'SEND_ERROR', 'it went out, and that could not be written');
  }

  /** Writes a receipt; resolves when it is written with its events. */
  private async onReceipt(keyIds: string[], kind: 'delivered' | 'read', at: Date): Promise<void> {
    atStep('out-10');
    await this.write(keyIds, kind === 'read' ? 'READ' : 'DELIVERED', at);
    atStep('out-11');
    // A receipt counts like an ack.
    this.answered();
    for (const keyId of keyIds) {
      this.take(keyId);
      this.window.forgetTries(keyId);
    }
    this.useRoom();
  }

  private answered(): void {
    this.window.answered();
    this.socket?.unanswered(false);
  }

  private useRoom(): void {
    if (this.more && this.window.isHalfEmpty) this.go();
  }

  /** Counts a try that failed, and ends the message after the last one. Says how often it was tried. */
  private tryFailed(message: LedgerMessage, error: unknown): number {
    this.take(message.keyId);
    const { code, detail, final } = sendFailureOf(error);
    const tries = final ? MAX_TRIES : this.window.countTry(message);
    if (!final)
      log().warn({ jobId: message.jobId, tries, reason: wordsOf(error) }, 'message could not be sent');
    if (tries >= MAX_TRIES) this.fail(message, code, detail);
    if (error instanceof NoAnswerError) this.socket?.recycle('UNANSWERED');
    return tries;
  }

  private expectAck(message: LedgerMessage): void {
    if (!this.window.isInFlight(message)) return;
    this.ackTimers.set(
      message.keyId,
      setTimeout(() => this.ackMissed(message), this.tools.ackTimeoutMs),
    );
  }

  private ackMissed(message: LedgerMessage): void {
    this.take(message.keyId);
    const tries = this.window.countTry(message);
    log().warn({ jobId: message.jobId, tries }, 'no acknowledgement');
    if (tries >= MAX_TRIES) this.fail(message, 'NO_ACK');
    else this.wake();
    if (this.window.countUnanswered()) this.socket?.recycle('UNANSWERED');
    else this.socket?.unanswered(true);
  }

  private take(keyId: string): LedgerMessage | undefined {
    clearTimeout(this.ackTimers.get(keyId));
    this.ackTimers.delete(keyId);
    return this.window.take(keyId);
  }

  private fail(message: LedgerMessage, code: FailureCode, detail?: string): void {
    this.window.beginWrite(message);
    const { ledger, scope } = this.tools;
    const { keyId, jobId } = message;
    const failure = failureOf(code, detail, !this.window.hasBegun(message));
    const write = patiently(() => ledger.fail(scope, [jobId], failure))
      .catch((error: unknown) => {
        if (!isOfContent(error)) throw error;
        log().error(refusalFields(message.jobId, error), 'failure is refused: its message is not told');
        return patiently(() => ledger.endUntold(scope, jobId));
      })
      .then(
        () => this.endWrite(keyId),
        (error: unknown) => {
          log().error({ jobId, err: error }, 'failure not written');
          // A message that cannot be ended either stays where it is: no claim of this process finds it.
          if (!isOfContent(error)) this.claimAgain(keyId);
        },
      );
    void this.writes.add(write);
  }

  private endWrite(keyId: string): void {
    this.window.forgetTries(keyId);
    this.window.endWrite(keyId);
  }

  /** Marks a message for another claim because it could not be written. */
  private claimAgain(keyId: string): void {
    this.window.endWrite(keyId);
    this.wake();
  }

  private async quiet(): Promise<void> {
    await this.sending;
    while (!this.window.isEmpty) await delay(20);
    await this.writes.settled();
  }

  private async write(keyIds: string[], status: SendStatus, at: Date): Promise<void> {
    const { receipts, scope } = this.tools;
    const all = keyIds.map((keyId) => receipts.record({ ...scope, keyId, status, at }));
    await this.writes.add(Promise.all(all)).catch((error: unknown) => {
      log().warn({ err: error }, 'receipts not written');
      throw error;
    });
  }
}
