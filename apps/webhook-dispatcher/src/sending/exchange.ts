import type { Dispatcher } from 'undici';
import { type Answer, CONNECTION_CLOSED, isOurFault, statusError, transportError } from './answer.js';

/** Bytes of an answer kept for the log, and read at all before the socket is given up. */
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
 * nothing: a little is kept, a little more is drained to keep the socket, the rest is not worth it.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  /**
   * Sends it once more. Set where it went over a connection that was kept: its host may have closed that just now, and then never saw the
   * request.
   */
  resend: (() => void) | undefined;
  private readonly startedAt = performance.now();
  private status: number | null = null;
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;
  private seen = 0;
  private isOver = false;
  private readonly deadline: NodeJS.Timeout;
  private drain: NodeJS.Timeout | undefined;

  constructor(
    timeoutMs: number,
    private readonly listener: ExchangeListener,
  ) {
    this.deadline = setTimeout(() => this.giveUp('TIMEOUT'), timeoutMs);
  }

  /** The connection is there; it may have taken all the time there was. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) this.cut();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return; // the answer is still to come
    this.status = status;
    this.drain = setTimeout(() => this.giveUp(), DRAIN_MS);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.seen += chunk.length;
    if (this.keptBytes < HEAD_BYTES) {
      // Copied: a slice would keep the whole chunk alive as long as the result waits for its commit.
      const part = Buffer.from(chunk.subarray(0, HEAD_BYTES - this.keptBytes));
      this.kept.push(part);
      this.keptBytes += part.length;
    }
    if (this.seen > DRAIN_BYTES) this.giveUp();
  }

  onResponseEnd(): void {
    this.end(null);
  }

  /** Also when it could not be sent at all. */
  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    if (this.status === null && !this.isOver) {
      const { resend } = this;
      this.resend = undefined;
      if (resend && transportError(error) === CONNECTION_CLOSED) return resend();
      if (isOurFault(error)) {
        this.over();
        this.listener.failed(error);
      }
    }
    this.end(transportError(error));
  }

  private giveUp(error: string | null = null): void {
    this.end(error);
    this.cut();
  }

  private cut(): void {
    this.controller?.abort(new Error('This exchange is over.'));
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
    clearTimeout(this.deadline);
    clearTimeout(this.drain);
  }
}
