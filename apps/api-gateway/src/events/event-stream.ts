import { setTimeout as delay } from 'node:timers/promises';
import { AppError, ERROR_CATALOGUE } from '@svc/contracts';
import { log } from '@svc/service';
import { closingFrame, eventFrame, heartbeatFrame, openingFrame, type StreamEnd } from './event-frames.js';
import { BEGINNING, type LogPart, type LogPlace } from './log-reader.js';
import type { StreamResponse } from './stream-response.js';

/** Time between two heartbeats, in ms: shorter than the time for which proxies wait on a silent answer. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;
/** Time between two looks at a log that keeps growing, in ms: all that comes meanwhile is read together. */
const PACE_MS = 50;

/** The log that a stream reads from. */
export interface StreamSource {
  read: (place: LogPlace) => Promise<LogPart>;
  cursorOf: (position: string) => string;
}

/**
 * This class follows a log for one reader. It reads on from its own place, at its own pace, and waits where there is nothing: what
 * was written before it came and what is written now are the same to it, so nothing is missed or told twice between them.
 */
export class EventStream {
  /** The log may have grown; true at first, because an event may have come between the first look and the first wake-up. */
  private grown = true;
  private wakeUp: (() => void) | undefined;
  private lastSentAt = performance.now();
  private lastReadAt = -Infinity;

  constructor(
    private place: LogPlace,
    private readonly source: StreamSource,
    private readonly out: StreamResponse,
  ) {}

  /** Wakes the stream: there may be something new. */
  readonly wake = (): void => {
    this.grown = true;
    this.wakeUp?.();
  };

  /** Ends the stream from here. */
  end(reason: StreamEnd): void {
    this.out.close(closingFrame(reason));
  }

  /** Resolves when the reader is gone or the stream is ended. `first`: what comes after its place. */
  async run(first: LogPart): Promise<void> {
    this.out.onLeave(this.wake);
    await this.send(openingFrame(this.cursor()));
    let part: LogPart | undefined = first;
    while (this.out.isOpen) {
      if (part) await this.sendPart(part);
      if (part && !part.more) await this.untilGrown();
      if (this.out.isOpen) part = await this.readOn();
    }
  }

  private async sendPart({ events, position }: LogPart): Promise<void> {
    for (const { event, position: at } of events) {
      if (!this.out.isOpen) return;
      await this.send(eventFrame(event, at && this.source.cursorOf(at)));
    }
    this.place = { ...this.place, after: position };
    if (this.isSilent()) await this.beat();
  }

  private async send(frame: string): Promise<void> {
    this.lastSentAt = performance.now();
    if (!(await this.out.send(frame))) this.end('SLOW_READER');
  }

  /** @returns undefined: not now. */
  private async readOn(): Promise<LogPart | undefined> {
    this.grown = false;
    this.lastReadAt = performance.now();
    try {
      return await this.source.read(this.place);
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'INTERNAL';
      if (code === 'CURSOR_EXPIRED') return void this.end(code);
      if (!ERROR_CATALOGUE[code].retryable) {
        log().error({ err: error, tenantId: this.place.tenantId }, 'an event stream cannot read on');
        return void this.end('INTERNAL');
      }
      await this.sleep(RETRY_MS);
      if (this.isSilent()) await this.beat();
      return undefined;
    }
  }

  private async untilGrown(): Promise<void> {
    while (this.out.isOpen && !this.grown) {
      await this.sleep(Math.max(0, this.lastSentAt + HEARTBEAT_MS - performance.now()));
      if (!this.grown && this.isSilent()) await this.beat();
    }
    const early = this.lastReadAt + PACE_MS - performance.now();
    if (early > 0) await delay(early);
  }

  private isSilent(): boolean {
    return this.out.isOpen && performance.now() - this.lastSentAt >= HEARTBEAT_MS;
  }

  private beat(): Promise<void> {
    return this.send(heartbeatFrame(this.cursor()));
  }

  private cursor(): string {
    return this.source.cursorOf(this.place.after ?? BEGINNING);
  }

  /** Waits so long, or until something is new. */
  private async sleep(ms: number): Promise<void> {
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        done();
      };
    });
    this.wakeUp = undefined;
  }
}
