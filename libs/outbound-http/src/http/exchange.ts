import { type Answer, CONNECTION_CLOSED, isOurFault, statusError, transportError } from './answer.js';
import type { AnswerListener } from './answer-reader.js';

/** Bytes of an answer's body kept for the log, and of all of it that are read before the connection is given up. */
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
  /** Nobody waits for an answer any more. */
  isOver = false;
  private connection: { close(): void } | undefined;
  private readonly startedAt = performance.now();
  private status: number | null = null;
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private seen = 0;
  private readonly deadline: NodeJS.Timeout;
  private drain: NodeJS.Timeout | undefined;

  constructor(
    timeoutMs: number,
    private readonly listener: ExchangeListener,
  ) {
    this.deadline = setTimeout(() => this.giveUp('TIMEOUT'), timeoutMs);
  }

  /** It goes out over this connection. */
  began(connection: { close(): void }): void {
    this.connection = connection;
  }

  answered(status: number): void {
    this.status = status;
  }

  data(bytes: Buffer): void {
    if (this.keptBytes >= HEAD_BYTES) return;
    const part = Buffer.from(bytes.subarray(0, HEAD_BYTES - this.keptBytes));
    this.kept.push(part);
    this.keptBytes += part.length;
  }

  /** The answer is not complete with the bytes that have come; `size` of them just now. */
  goesOn(size: number): void {
    this.seen += size;
    if (this.status === null || this.isOver) return;
    if (this.seen > DRAIN_BYTES) this.giveUp();
    else this.drain ??= setTimeout(() => this.giveUp(), DRAIN_MS);
  }

  /** The answer is complete. */
  done(): void {
    this.end(null);
  }

  /**
   * Also when it could not be sent at all.
   * @param hasCrossed whether its host was closing the connection as it went out: then it never saw it.
   */
  broke(error: unknown, hasCrossed: boolean): void {
    if (this.status === null && !this.isOver) {
      const { resend } = this;
      this.resend = undefined;
      if (resend && hasCrossed && transportError(error) === CONNECTION_CLOSED) return resend();
      if (!this.connection && isOurFault(error)) {
        this.over();
        this.listener.failed(error);
      }
    }
    this.end(transportError(error));
  }

  private giveUp(error: string | null = null): void {
    const { connection } = this;
    this.end(error);
    connection?.close();
  }

  /** @param error counts where there is no status. */
  private end(error: string | null): void {
    if (this.isOver) return;
    this.over();
    const { status } = this;
    this.listener.ended({
      status,
      error: status === null ? error : statusError(status),
      head: this.keptBytes === 0 ? NOTHING : Buffer.concat(this.kept),
      durationMs: Math.round(performance.now() - this.startedAt),
    });
  }

  private over(): void {
    this.isOver = true;
    this.resend = undefined;
    this.connection = undefined;
    clearTimeout(this.deadline);
    clearTimeout(this.drain);
  }
}
