import type { ServerResponse } from 'node:http';

/** Longest time for which a reader may take nothing at all while an event waits for it, in ms. */
const STALL_MS = 30_000;
/** Time for the last frame to go out before the connection is cut, in ms. */
const FAREWELL_MS = 2_000;

/** This class writes an answer piece by piece, as fast as its reader takes it: never more than a few pieces wait in memory. */
export class StreamResponse {
  private leaving: (() => void)[] = [];

  constructor(
    private readonly raw: ServerResponse,
    private readonly stallMs = STALL_MS,
  ) {
    raw.once('close', () => this.leave());
    // A reader who goes away in the middle is no fault of ours.
    raw.on('error', () => this.leave());
  }

  get isOpen(): boolean {
    return !this.raw.destroyed && !this.raw.writableEnded && !this.raw.closed;
  }

  open(headers: Record<string, string>): void {
    this.raw.writeHead(200, headers);
    this.raw.flushHeaders();
  }

  /** Resolves as soon as there is room for more; `false`: the reader has taken nothing for too long. */
  async send(frame: string): Promise<boolean> {
    if (!this.isOpen || this.raw.write(frame)) return true;
    return new Promise((done) => {
      const timer = setTimeout(() => done(false), this.stallMs);
      const settle = (): void => {
        clearTimeout(timer);
        done(true);
      };
      this.raw.once('drain', settle);
      this.leaving.push(settle);
    });
  }

  /** Says a last word and ends; cuts the connection where nobody takes it. */
  close(frame: string): void {
    if (!this.isOpen) return;
    const timer = setTimeout(() => this.raw.destroy(), FAREWELL_MS);
    this.raw.once('close', () => clearTimeout(timer));
    this.raw.end(frame);
    this.leave();
  }

  /** Calls back when the reader is gone, or the answer is ended. */
  onLeave(listener: () => void): void {
    if (this.isOpen) this.leaving.push(listener);
    else listener();
  }

  private leave(): void {
    const { leaving } = this;
    this.leaving = [];
    for (const listener of leaving) listener();
  }
}
