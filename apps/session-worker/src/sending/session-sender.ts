import type { FailureCode } from '@svc/contracts';
import { log } from '@svc/service';
import { patiently } from '../database-patience.js';
import type { PlatformSocket } from '../platform/platform.js';
import type { ClaimedMessage, Ledger } from './ledger.js';
import { failureOf, type Rung, RUNGS } from './outbound.js';

/** Messages handed to the socket and not yet acknowledged, per session. */
const WINDOW = 20;
const MAX_TRIES = 3;
const RETRY_MS = 1_000;

/**
 * Sends one session's messages in order while its socket is open. What was handed over when the socket broke is sent
 * again under the same message id, so that nothing is lost and nothing arrives twice.
 */
export class SessionSender {
  private socket: PlatformSocket | undefined;
  private readonly waiting = new Map<string, { message: ClaimedMessage; timer: NodeJS.Timeout }>();
  /** Acknowledged, but not yet written: still nothing to claim again. */
  private readonly acknowledged = new Map<string, ClaimedMessage>();
  private readonly observed = new Map<string, Rung>();
  private sending: Promise<void> | undefined;
  /** Ends with the last batch of acks and receipts that was begun; never fails. */
  private settled: Promise<void> = Promise.resolve();
  /** The batch that has not begun to be written. */
  private batch: Promise<void> | undefined;
  private again = false;

  constructor(
    private readonly ledger: Ledger,
    private readonly ackTimeoutMs: number,
  ) {}

  /** The socket is open: sends what waits, first of all what a former socket or owner had begun. */
  attach(socket: PlatformSocket): void {
    this.socket = socket;
    this.wake();
  }

  /** The socket is gone; what it had not acknowledged waits for the next one. */
  detach(): void {
    this.socket = undefined;
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  /** There may be something to send. */
  wake(): void {
    this.again = true;
    this.sending ??= this.run().finally(() => {
      this.sending = undefined;
      if (this.again && this.socket) setTimeout(() => this.wake(), RETRY_MS);
    });
  }

  /** Resolves when what was handed over is acknowledged and written, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    const socket = this.socket;
    this.socket = undefined; // nothing new goes out
    const deadline = performance.now() + limitMs;
    while (socket && this.waiting.size > 0 && performance.now() < deadline) await pause(20);
    await this.sending;
    await this.settled;
    this.detach();
  }

  onAck(keyId: string, error: number | undefined): void {
    const message = this.take(keyId);
    if (message) this.acknowledged.set(keyId, message);
    // An ack that could not be written is lost: the message goes out again, under the same id, and is acknowledged again.
    if (error === undefined) this.observe([keyId], 'SENT').catch(() => undefined);
    else if (message) this.fail(message, 'REJECTED_BY_PLATFORM', `platform error ${error}`);
    this.wake();
  }

  /** Resolves when the receipt is written, and what it tells with it. */
  onReceipt(keyIds: string[], kind: 'delivered' | 'read'): Promise<void> {
    return this.observe(keyIds, kind === 'read' ? 'READ' : 'DELIVERED');
  }

  private async run(): Promise<void> {
    while (this.socket && this.again) {
      this.again = false;
      const room = WINDOW - this.waiting.size;
      if (room <= 0) return; // an ack wakes it
      try {
        const messages = await this.ledger.claim(room, this.inHand());
        for (const message of messages) if (!(await this.hand(message))) return;
        this.again ||= messages.length > 0;
      } catch (error) {
        log().warn({ err: error }, 'sending pauses');
        this.again = true;
        return;
      }
    }
  }

  private inHand(): string[] {
    const waiting = [...this.waiting.values()].map(({ message }) => message);
    return [...waiting, ...this.acknowledged.values()].map((message) => message.job_id);
  }

  /** False when the socket is gone. */
  private async hand(message: ClaimedMessage): Promise<boolean> {
    const socket = this.socket;
    if (!socket) return false;
    this.expect(message);
    try {
      await socket.sendText(message.to_jid, message.content.text, message.key_id);
      return true;
    } catch (error) {
      if (this.socket !== socket) return false;
      this.take(message.key_id);
      log().warn(
        { jobId: message.job_id, tries: message.tries, reason: words(error) },
        'message could not be sent',
      );
      if (message.tries >= MAX_TRIES) this.fail(message, 'SEND_ERROR');
      this.again = true;
      return false;
    }
  }

  private expect(message: ClaimedMessage): void {
    const timer = setTimeout(() => {
      this.waiting.delete(message.key_id);
      log().warn({ jobId: message.job_id, tries: message.tries }, 'no acknowledgement');
      if (message.tries >= MAX_TRIES) this.fail(message, 'NO_ACK');
      else this.wake();
    }, this.ackTimeoutMs);
    this.waiting.set(message.key_id, { message, timer });
  }

  private take(keyId: string): ClaimedMessage | undefined {
    const entry = this.waiting.get(keyId);
    clearTimeout(entry?.timer);
    this.waiting.delete(keyId);
    return entry?.message;
  }

  private fail(message: ClaimedMessage, code: FailureCode, detail?: string): void {
    void this.ledger
      .fail([message.job_id], failureOf(code, detail))
      .catch((error: unknown) => log().error({ jobId: message.job_id, err: error }, 'failure not written'))
      .finally(() => this.acknowledged.delete(message.key_id));
  }

  /** Collects acks and receipts while the last ones are being written: one transaction for many. */
  private observe(keyIds: string[], rung: Rung): Promise<void> {
    for (const keyId of keyIds) {
      const reached = this.observed.get(keyId);
      if (!reached || RUNGS.indexOf(reached) < RUNGS.indexOf(rung)) this.observed.set(keyId, rung);
    }
    if (this.batch) return this.batch;
    const batch = this.settled.then(() => this.settle());
    this.batch = batch;
    this.settled = batch.catch((error: unknown) => log().warn({ err: error }, 'receipts not written'));
    return batch;
  }

  private async settle(): Promise<void> {
    this.batch = undefined;
    const entries = [...this.observed];
    this.observed.clear();
    try {
      for (const rung of ['SENT', 'DELIVERED', 'READ'] as const) {
        const keyIds = entries.filter(([, reached]) => reached === rung).map(([keyId]) => keyId);
        if (keyIds.length > 0) await patiently(() => this.ledger.climb(keyIds, rung));
      }
    } finally {
      for (const [keyId] of entries) this.acknowledged.delete(keyId);
    }
  }
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
