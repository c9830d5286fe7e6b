import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformSocket } from '../platform/platform.js';
import { atStep } from '../steps.js';
import type { ClaimedMessage, Ledger } from './ledger.js';
import type { OutgoingFiles } from './outgoing-files.js';

/** Files of one session that are on their way at the same time; each lies on the disk for that long. */
const AT_ONCE = 3;
/** Chats that wait for a file; with more of them the whole session waits. */
const MOST_CHATS = 100;
const RETRY_MS = 1_000;

/** What becomes of a file. */
export interface FileOutcome {
  /** The chat need not wait any longer. */
  done(): void;
  /** Whether it is to be tried again. */
  failed(message: ClaimedMessage, error: unknown): boolean;
}

/**
 * Brings the files of one session to the platform ahead of their messages. Only the chat that a file is for waits for
 * it, so that a server that does not answer holds up nobody else, and each chat keeps its order.
 */
export class FilesAhead {
  /** By chat, in order of arrival: the message whose file it waits for. */
  private readonly waiting = new Map<string, ClaimedMessage>();
  private readonly underWay = new Set<ClaimedMessage>();
  private socket: PlatformSocket | undefined;
  private stopped = new AbortController();

  constructor(
    private readonly ledger: Ledger,
    private readonly files: OutgoingFiles,
    private readonly outcome: FileOutcome,
  ) {}

  attach(socket: PlatformSocket): void {
    this.detach();
    this.socket = socket;
  }

  /** What has not arrived is begun anew with the next socket. */
  detach(): void {
    this.stopped.abort();
    this.stopped = new AbortController();
    this.waiting.clear();
    this.underWay.clear();
    this.socket = undefined;
  }

  /** Chats of which nothing may be sent now. */
  get chats(): string[] {
    return [...this.waiting.keys()];
  }

  get isFull(): boolean {
    return this.waiting.size >= MOST_CHATS;
  }

  /** The message is to be claimed again when its file is there. */
  add(message: ClaimedMessage): void {
    this.waiting.set(message.to_jid, message);
    this.begin();
  }

  private begin(): void {
    for (const message of this.waiting.values()) {
      if (!this.socket || this.underWay.size >= AT_ONCE) return;
      if (this.underWay.has(message)) continue;
      this.underWay.add(message);
      void this.bring(message, this.socket, this.stopped.signal);
    }
  }

  private async bring(message: ClaimedMessage, socket: PlatformSocket, stopped: AbortSignal): Promise<void> {
    try {
      const uploaded = await this.files.upload(message, socket, stopped);
      atStep('out-13');
      if (!stopped.aborted) await this.ledger.keepUpload(message.job_id, uploaded);
      atStep('out-14');
    } catch (error) {
      const again = !stopped.aborted && this.outcome.failed(message, error);
      if (again) await delay(RETRY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
    if (stopped.aborted) return;
    this.underWay.delete(message);
    this.waiting.delete(message.to_jid);
    this.begin();
    this.outcome.done();
  }
}
