import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@svc/database';
import type { PlatformSocket } from '../platform/port.js';
import { atStep } from '../steps.js';
import type { ClaimedMessage } from './claims.js';
import type { Ledger } from './ledger.js';
import type { OutgoingFiles } from './outgoing-files.js';

/** Files of one session that are on their way at the same time; each lies on the disk for that long. */
const AT_ONCE = 3;
/** Chats that wait for a file; with more of them the whole session waits. */
const MOST_CHATS = 100;

/** What becomes of a file. */
export interface FileOutcome {
  /** The chat need not wait any longer. */
  done(): void;
  /** How long to wait for another try, in ms; undefined: there is none. */
  failed(message: ClaimedMessage, error: unknown): number | undefined;
}

/**
 * Brings the files of one session to the platform ahead of their messages. Only the chat that a file is for waits for
 * it, so that a server that does not answer holds up nobody else, and each chat keeps its order.
 */
export class FilesAhead {
  /** By chat, in order of arrival: the message whose file it waits for. */
  private readonly waiting = new Map<string, ClaimedMessage>();
  private readonly begun = new Set<ClaimedMessage>();
  private transfers = 0;
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
    this.begun.clear();
    this.transfers = 0;
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
      if (!this.socket || this.transfers >= AT_ONCE) return;
      if (this.begun.has(message)) continue;
      this.begun.add(message);
      void this.bring(message, this.socket, this.stopped.signal);
    }
  }

  private async bring(message: ClaimedMessage, socket: PlatformSocket, stopped: AbortSignal): Promise<void> {
    this.transfers += 1;
    const { uploaded, over } = this.files.upload(message, socket, stopped);
    // Not when its time is up: one that cannot be broken off lies on the disk for longer.
    void over.then(() => {
      if (stopped.aborted) return;
      this.transfers -= 1;
      this.begin();
    });
    try {
      const file = await uploaded;
      atStep('out-13');
      if (!stopped.aborted) await patiently(() => this.ledger.keepUpload(message.job_id, file));
      atStep('out-14');
    } catch (error) {
      const pause = stopped.aborted ? undefined : this.outcome.failed(message, error);
      if (pause !== undefined) await delay(pause, undefined, { signal: stopped }).catch(() => undefined);
    }
    if (stopped.aborted) return;
    this.begun.delete(message);
    this.waiting.delete(message.to_jid);
    this.outcome.done();
  }
}
