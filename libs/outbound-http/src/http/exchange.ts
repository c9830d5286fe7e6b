import { DESTINATION_NOT_ALLOWED } from '../addresses/address-guard.js';
import type { AnswerListener } from './answer-reader.js';

/** Result of one POST. */
export interface Answer {
  /** Status the receiver answered; null when there was none. */
  status: number | null;
  /** Error of the POST; null after a 2xx. */
  error: string | null;
  /** First bytes of the answer's body. */
  head: Buffer;
  durationMs: number;
}

/** Limits of one POST and its answer. The head of an answer has a bound of its own (`answer-reader.ts`). */
export interface PostLimits {
  /** Longest from the connection to the end of the answer. */
  timeoutMs: number;
  /** Number of bytes of the answer's body that are stored. */
  headBytes: number;
  /** Bytes of the answer that are read so that its connection can be used again: with more it is given up. */
  drainBytes: number;
}

/** Listener that gets the outcome of a POST, once. */
export interface ExchangeListener {
  onAnswer(answer: Answer): void;
  /** The fault is this machine's: nothing was sent, so it is no attempt. */
  onError(error: unknown): void;
}

/** Time that the rest of an answer may take whose status has come, in ms. */
const DRAIN_MS = 250;
const NOTHING = Buffer.alloc(0);

/** Error code of a connection that the receiver closed before it answered. */
const CONNECTION_CLOSED = 'CONNECTION_CLOSED';

const CODES: Record<string, string> = {
  [DESTINATION_NOT_ALLOWED]: DESTINATION_NOT_ALLOWED,
  ECONNREFUSED: 'CONNECTION_REFUSED',
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  UND_ERR_CONNECT_TIMEOUT: 'TIMEOUT',
  ETIMEDOUT: 'TIMEOUT',
  ENOTFOUND: 'NAME_NOT_RESOLVED',
  EAI_AGAIN: 'NAME_NOT_RESOLVED',
  INVALID_ANSWER: 'INVALID_ANSWER',
};

/** Codes of a machine that has no more file descriptors, buffers or memory: the receiver's answer is not known. */
const OUR_FAULTS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/**
 * An exchange is one POST and what comes back, within one deadline. The status decides, so whatever the body does afterwards changes
 * nothing: a little is kept, a little more is drained to keep the connection, the rest is not worth it.
 */
export class Exchange implements AnswerListener {
  /**
   * Sends the POST once more. Set where it went over a connection that was idle: its host may have closed that just now, and then never saw
   * the request.
   */
  resend: (() => void) | undefined;
  /** The caller has its answer or has given up. */
  isFinished = false;
  private connection: { close(): void } | undefined;
  private readonly startedAt = performance.now();
  private status: number | null = null;
  private readonly headParts: Buffer[] = [];
  private headBytes = 0;
  private bytesRead = 0;
  private readonly deadline: NodeJS.Timeout;
  private drainTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: PostLimits,
    private readonly listener: ExchangeListener,
  ) {
    this.deadline = setTimeout(() => this.giveUp('TIMEOUT'), limits.timeoutMs);
  }

  /** Notes the connection over which the POST goes out. */
  attach(connection: { close(): void }): void {
    this.connection = connection;
  }

  onStatus(status: number): void {
    this.status = status;
  }

  onData(bytes: Buffer): void {
    const { headBytes } = this.limits;
    if (this.headBytes >= headBytes) return;
    const part = Buffer.from(bytes.subarray(0, headBytes - this.headBytes));
    this.headParts.push(part);
    this.headBytes += part.length;
  }

  /** Counts bytes that came and did not complete the answer. */
  countBytes(size: number): void {
    this.bytesRead += size;
    if (this.status === null || this.isFinished) return;
    if (this.bytesRead > this.limits.drainBytes) this.giveUp();
    else this.drainTimer ??= setTimeout(() => this.giveUp(), DRAIN_MS);
  }

  /** Ends with the answer, which is complete. */
  complete(): void {
    this.end(null);
  }

  /**
   * Ends without a complete answer, or without having been sent at all.
   * @param isCrossing whether its host was closing the connection as it went out: then it never saw it.
   */
  fail(error: unknown, isCrossing: boolean): void {
    if (this.status === null && !this.isFinished) {
      const { resend } = this;
      this.resend = undefined;
      if (resend && isCrossing && transportError(error) === CONNECTION_CLOSED) return resend();
      if (!this.connection && isOurFault(error)) {
        this.finish();
        this.listener.onError(error);
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
    if (this.isFinished) return;
    this.finish();
    const { status } = this;
    this.listener.onAnswer({
      status,
      error: status === null ? error : statusError(status),
      head: this.headBytes === 0 ? NOTHING : Buffer.concat(this.headParts),
      durationMs: Math.round(performance.now() - this.startedAt),
    });
  }

  private finish(): void {
    this.isFinished = true;
    this.resend = undefined;
    this.connection = undefined;
    clearTimeout(this.deadline);
    clearTimeout(this.drainTimer);
  }
}

/** Names the error code of a status; null for a 2xx, the only success. */
export function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'REDIRECT_NOT_FOLLOWED' : `HTTP_${status}`;
}

/** Names the error code of a POST that got no answer. The words of the error stay inside: they may hold an address. */
export function transportError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return transportError(error.errors[0]);
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return 'CONNECTION_FAILED';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'TLS_FAILED';
  return CODES[code] ?? 'CONNECTION_FAILED';
}

/** Says whether a POST failed before it was sent, for a reason the receiver has no part in. */
function isOurFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isOurFault);
  return OUR_FAULTS.has(String((error as { code?: unknown } | null)?.code));
}
