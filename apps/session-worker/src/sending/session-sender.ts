import { setTimeout as delay } from 'node:timers/promises';
import type { FailureCode } from '@svc/contracts';
import { patiently } from '@svc/database';
import { log, UnderWay } from '@svc/service';
import { NoAnswerError, type OutgoingMessage, type PlatformSocket } from '../platform/port.js';
import { atStep } from '../steps.js';
import { FilesAhead } from './files-ahead.js';
import type { ClaimedMessage } from './claims.js';
import type { Ledger } from './ledger.js';
import type { NewChats } from './new-chats.js';
import { failureOf, type Rung } from './outbound.js';
import type { OutgoingFiles } from './outgoing-files.js';
import { FileError, sendFailureOf } from './send-failure.js';

/** Messages handed to the socket and not yet acknowledged, per session. */
const WINDOW = 20;
/** Tries of one message on sockets that worked; those that a broken socket cut off do not count. */
const MAX_TRIES = 3;
const RETRY_MS = 1_000;
/** Between two tries of a file each pause is that many times as long: a network that is away for a moment costs one. */
const FILE_BACKOFF = 8;
/** Until a file that waits for the store or the database is tried again: longer, the longer it has waited. */
const FILE_WAIT_MS = { least: 2_000, most: 60_000 };
const FILE_WAIT_PART = 0.25;
/** Sends in a row without any sign from the platform: not the messages are at fault, then, but the socket. */
const MAX_UNANSWERED = 2;

/**
 * Sends one session's messages in order while its socket is open. What was handed over when the socket broke is sent
 * again under the same message id, so that nothing is lost and nothing arrives twice.
 */
export class SessionSender {
  private socket: PlatformSocket | undefined;
  /** Handed over, not acknowledged; by key id. */
  private readonly waiting = new Map<string, { message: ClaimedMessage; timer?: NodeJS.Timeout }>();
  /** Claimed and about to be handed over, one after the other. */
  private claimed: ClaimedMessage[] = [];
  /** Acknowledged or given up, but not yet written: nothing to claim again. */
  private readonly settling = new Map<string, ClaimedMessage>();
  /** Tries that failed, by key id. */
  private readonly tries = new Map<string, number>();
  /** Sends in a row that the present socket left unanswered. */
  private unanswered = 0;
  /** Acks, receipts and failures that are being written. */
  private readonly writes = new UnderWay();
  private sending: Promise<void> | undefined;
  private claiming: Promise<ClaimedMessage[]> | undefined;
  private again = false;
  /** Whether there may be messages that nobody has claimed yet. */
  private more = false;
  /** Ends the hand-over under way: a socket that breaks leaves it hanging. */
  private interrupt: () => void = () => undefined;

  private readonly files: FilesAhead;

  constructor(
    private readonly ledger: Ledger,
    private readonly newChats: NewChats,
    files: OutgoingFiles,
    private readonly ackTimeoutMs: number,
  ) {
    this.files = new FilesAhead(ledger, files, {
      done: () => this.wake(),
      failed: (message, error) => this.fileFailed(message, error),
    });
  }

  /** The socket is open: sends what waits, first of all what a former socket or owner had begun. */
  attach(socket: PlatformSocket): void {
    this.detach();
    this.socket = socket;
    this.files.attach(socket);
    this.unanswered = 0;
    this.wake();
  }

  /** The socket is gone; what it had not acknowledged waits for the next one. */
  detach(): void {
    this.socket = undefined;
    this.files.detach();
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    this.interrupt();
    this.interrupt = () => undefined; // it holds on to the socket
  }

  /** There may be something to send. */
  wake(): void {
    this.more = true;
    this.go();
  }

  private go(): void {
    this.again = true;
    this.sending ??= this.run().finally(() => {
      this.sending = undefined;
      if (this.again && this.socket) setTimeout(() => this.go(), RETRY_MS);
    });
  }

  /** Resolves when what was handed over is acknowledged and written, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.socket = undefined; // nothing new goes out
    this.files.detach();
    const limit = new AbortController();
    await Promise.race([this.quiet(), delay(limitMs, undefined, limit).catch(() => undefined)]);
    limit.abort();
    this.detach();
  }

  /** Jobs that may be on their way at this moment; what is being claimed is waited for. */
  async inHand(): Promise<string[]> {
    await this.claiming?.catch(() => undefined);
    return this.begun();
  }

  private begun(): string[] {
    const waiting = [...this.waiting.values()].map(({ message }) => message);
    return [...this.claimed, ...waiting, ...this.settling.values()].map((message) => message.job_id);
  }

  onAck(keyId: string, error: number | undefined): void {
    this.unanswered = 0;
    const message = this.take(keyId);
    if (error === undefined) {
      atStep('out-7');
      this.tries.delete(keyId);
      if (message) this.settling.set(keyId, message);
      // An ack that cannot be written is lost: the message goes out again, under the same id, and is acknowledged again.
      this.write([keyId], 'SENT', new Date()).then(
        () => this.settling.delete(keyId),
        () => this.unsettle(keyId),
      );
    } else if (message) this.fail(message, 'REJECTED_BY_PLATFORM', `platform error ${error}`);
    this.roomMade();
  }

  /** Resolves when the receipt is written, and what it tells with it. */
  async onReceipt(keyIds: string[], kind: 'delivered' | 'read', at: Date): Promise<void> {
    atStep('out-10');
    await this.write(keyIds, kind === 'read' ? 'READ' : 'DELIVERED', at);
    atStep('out-11');
    // As good as an ack.
    this.unanswered = 0;
    for (const keyId of keyIds) {
      this.take(keyId);
      this.tries.delete(keyId);
    }
    this.roomMade();
  }

  /** One claim for many messages, not one for each. */
  private roomMade(): void {
    if (this.more && this.waiting.size <= WINDOW / 2) this.go();
  }

  private async run(): Promise<void> {
    while (this.socket && this.again) {
      this.again = false;
      const room = WINDOW - this.waiting.size;
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

  /** False when one could not be handed over: those behind it wait for it. */
  private async sendUpTo(room: number, socket: PlatformSocket): Promise<boolean> {
    this.more = false; // whoever wakes meanwhile knows better
    const messages = await this.claim(room);
    this.more ||= messages.length === room;
    const areHandedOver = await this.handAll(messages, socket).finally(() => (this.claimed = []));
    this.again ||= this.more && this.waiting.size <= WINDOW / 2;
    if (this.socket === socket) return areHandedOver;
    // What the former socket left unacknowledged comes before these in its chat: all of it is claimed anew.
    this.again = this.more = true;
    return true;
  }

  private async claim(room: number): Promise<ClaimedMessage[]> {
    this.claiming = this.ledger.claim(room, { jobIds: this.begun(), chats: this.files.chats });
    try {
      return (this.claimed = await this.claiming);
    } finally {
      this.claiming = undefined;
    }
  }

  private async handAll(messages: ClaimedMessage[], socket: PlatformSocket): Promise<boolean> {
    // Also when the file is there at once: what is behind it in its chat comes with the next claim.
    const passed = new Set<string>();
    for (const message of messages) {
      if (this.socket !== socket) return false;
      if (passed.has(message.to_jid) || (await this.refuse(message, socket))) continue;
      if (this.socket !== socket) return false;
      if (message.content.media && !message.uploaded) {
        passed.add(message.to_jid);
        this.files.add(message);
      } else if (!(await this.hand(message, socket))) return false;
    }
    return true;
  }

  /** Whether it must not go out, because it would begin a chat: then it has failed. */
  private async refuse(message: ClaimedMessage, socket: PlatformSocket): Promise<boolean> {
    const reason = await this.newChats.refusalOf(message, socket);
    if (reason) this.fail(message, reason);
    return reason !== undefined;
  }

  private async hand(message: ClaimedMessage, socket: PlatformSocket): Promise<boolean> {
    this.waiting.set(message.key_id, { message }); // before the hand-over ends: the ack may be faster
    try {
      await new Promise<void>((resolve, reject) => {
        this.interrupt = () => reject(new Error('The socket is gone.'));
        socket.send(outgoing(message)).then(resolve, reject);
      });
      atStep('out-6');
      this.expectAck(message);
      return true;
    } catch (error) {
      this.again = this.more = true;
      if (this.socket === socket) this.failed(message, error);
      return false;
    }
  }

  /** How long the file waits for another try, in ms; undefined: its message has failed. */
  private fileFailed(message: ClaimedMessage, error: unknown): number | undefined {
    if (error instanceof FileError) {
      const tries = this.failed(message, error);
      return tries < MAX_TRIES ? RETRY_MS * FILE_BACKOFF ** (tries - 1) : undefined;
    }
    log().warn({ jobId: message.job_id, err: error }, 'media store or database is away, file waits');
    const waited = Date.now() - message.accepted_at.getTime();
    return Math.min(FILE_WAIT_MS.most, Math.max(FILE_WAIT_MS.least, waited * FILE_WAIT_PART));
  }

  /** How often it was tried. */
  private failed(message: ClaimedMessage, error: unknown): number {
    this.take(message.key_id);
    const { code, detail, final } = sendFailureOf(error);
    const tries = final ? MAX_TRIES : this.countTry(message);
    if (!final)
      log().warn({ jobId: message.job_id, tries, reason: words(error) }, 'message could not be sent');
    if (tries >= MAX_TRIES) this.fail(message, code, detail);
    if (error instanceof NoAnswerError) this.socket?.recycle('UNANSWERED');
    return tries;
  }

  private expectAck(message: ClaimedMessage): void {
    const entry = this.waiting.get(message.key_id);
    if (!entry) return;
    entry.timer = setTimeout(() => {
      this.waiting.delete(message.key_id);
      const tries = this.countTry(message);
      log().warn({ jobId: message.job_id, tries }, 'no acknowledgement');
      if (tries >= MAX_TRIES) this.fail(message, 'NO_ACK');
      else this.wake();
      this.unanswered += 1;
      if (this.unanswered >= MAX_UNANSWERED) this.socket?.recycle('UNANSWERED');
    }, this.ackTimeoutMs);
  }

  private take(keyId: string): ClaimedMessage | undefined {
    const entry = this.waiting.get(keyId);
    clearTimeout(entry?.timer);
    this.waiting.delete(keyId);
    return entry?.message;
  }

  private countTry({ key_id }: ClaimedMessage): number {
    const tries = (this.tries.get(key_id) ?? 0) + 1;
    this.tries.set(key_id, tries);
    return tries;
  }

  private fail(message: ClaimedMessage, code: FailureCode, detail?: string): void {
    this.settling.set(message.key_id, message);
    const failure = failureOf(code, detail);
    const write = patiently(() => this.ledger.fail([message.job_id], failure)).then(
      () => {
        this.tries.delete(message.key_id);
        this.settling.delete(message.key_id);
      },
      (error: unknown) => {
        log().error({ jobId: message.job_id, err: error }, 'failure not written');
        this.unsettle(message.key_id);
      },
    );
    void this.writes.add(write);
  }

  /** What could not be written is to be claimed again. */
  private unsettle(keyId: string): void {
    this.settling.delete(keyId);
    this.wake();
  }

  private async quiet(): Promise<void> {
    await this.sending;
    while (this.waiting.size > 0) await delay(20);
    await this.writes.settled();
  }

  private async write(keyIds: string[], rung: Rung, at: Date): Promise<void> {
    await this.writes.add(this.ledger.climb(keyIds, rung, at)).catch((error: unknown) => {
      log().warn({ err: error }, 'receipts not written');
      throw error;
    });
  }
}

function outgoing(message: ClaimedMessage): OutgoingMessage {
  const { to_jid: to, key_id: keyId, content, accepted_at: acceptedAt, uploaded } = message;
  return { to, keyId, content, acceptedAt, uploaded };
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
