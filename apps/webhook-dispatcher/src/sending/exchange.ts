import { type Answer, CONNECTION_CLOSED, isOurFault, statusError, transportError } from './answer.js';
import type { AnswerListener } from './answer-reader.js';

/** Bytes of an answer kept for the log, and read at all before the connection is given up. */
const HEAD_BYTES = 4 * 1024;
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 250;

const NOTHING = Buffer.alloc(0);

/** Hears once how a POST went. */
export interface ExchangeListener {
  ended(answer: Answer): void;
  /** The fault is this machine's: nothing was sent, so it is no attempt. */
  failed(error: unknown): void;
}

/**
 * One POST and what comes back, within one deadline. The status decides, so whatever the body does afterwards changes
 * nothing: a little is kept, a little more is drained to keep the connection, the rest is not worth it.
 */
export class Exchange implements AnswerListener {
  /**
   * Sends it once more. Set where it went over a connection that was kept: its host may have closed that just now, and then never saw the
   * request.
   */
  resend: (() => void) | undefined;
  private connection: { close(): void } | undefined;
  private readonly startedAt = performance.now();
  private status: number | null = null;
  private kept: Buffer = NOTHING;
  private seen = 0;
  private isEnded = false;
  private readonly deadline: NodeJS.Timeout;
  private drain: NodeJS.Timeout | undefined;

  constructor(
    timeoutMs: number,
    private readonly listener: ExchangeListener,
  ) {
    this.deadline = setTimeout(() => this.giveUp('TIMEOUT'), timeoutMs);
  }

  /** Nobody waits for an answer any more: the connection may have taken all the time there was. */
  get isOver(): boolean {
    return this.isEnded;
  }

  /** It goes out over this connection. */
  began(connection: { close(): void }): void {
    this.connection = connection;
  }

  answered(status: number): void {
    this.status = status;
  }

  data(bytes: Buffer): void {
    this.seen += bytes.length;
    const room = HEAD_BYTES - this.kept.length;
    if (room > 0) this.kept = Buffer.concat([this.kept, bytes.subarray(0, room)]);
    if (this.seen > DRAIN_BYTES) this.giveUp();
  }

  /** The answer is not complete with what has come. */
  goesOn(): void {
    if (this.status !== null && !this.isEnded) this.drain ??= setTimeout(() => this.giveUp(), DRAIN_MS);
  }

  /** The answer is complete. */
  done(): void {
    this.end(null);
  }

  /**
   * Also when it could not be sent at all.
   * @param hasHeard something of an answer had come.
   */
  broke(error: unknown, hasHeard: boolean): void {
    if (this.status === null && !this.isEnded) {
      const { resend } = this;
      this.resend = undefined;
      if (resend && !hasHeard && transportError(error) === CONNECTION_CLOSED) return resend();
      if (isOurFault(error)) {
        this.over();
        this.listener.failed(error);
      }
    }
    this.end(transportError(error));
  }

  private giveUp(error: string | null = null): void {
    this.end(error);
    this.connection?.close();
  }

  /** @param error counts where there is no status. */
  private end(error: string | null): void {
    if (this.isEnded) return;
    this.over();
    const { status, kept: head } = this;
    this.listener.ended({
      status,
      error: status === null ? error : statusError(status),
      head,
      durationMs: Math.round(performance.now() - this.startedAt),
    });
  }

  private over(): void {
    this.isEnded = true;
    clearTimeout(this.deadline);
    clearTimeout(this.drain);
  }
}
