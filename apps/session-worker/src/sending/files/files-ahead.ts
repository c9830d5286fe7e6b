import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@svc/database';
import { log } from '@svc/service';
import type { PlatformSocket } from '../../platform/port.js';
import { atStep } from '../../steps.js';
import { FileError, MAX_TRIES } from '../ledger/failures.js';
import type { Ledger, LedgerMessage, LedgerScope } from '../ledger/ledger.js';
import type { OutgoingFiles } from './outgoing-files.js';

/** Files of one session that are on their way at the same time; each lies on the disk for that long. */
const MAX_TRANSFERS = 3;
/** Chats that wait for a file; with more of them the whole session waits. */
const MAX_CHATS = 100;
const RETRY_MS = 1_000;
/** Factor between the pauses of two tries of a file: a network that is away for a moment costs one. */
const BACKOFF = 8;
/** Wait before a file that waits for the store or the database is tried again, in ms: longer, the longer it has waited. */
const WAIT_MS = { least: 2_000, most: 60_000 };
const WAIT_PART = 0.25;

/** Tools that bring the files of a session. */
export interface FileTools {
  scope: LedgerScope;
  ledger: Pick<Ledger, 'keepUpload'>;
  files: Pick<OutgoingFiles, 'upload'>;
}

/** Listener for the results of files. */
export interface FileOutcome {
  /** Reports that the chat need not wait any longer. */
  done(): void;
  /** Counts a try that the file, its server or the platform made fail. */
  failed(message: LedgerMessage, error: FileError): number;
}

/**
 * Brings the files of one session to the platform ahead of their messages. Only the chat that a file is for waits for
 * it, so that a server that does not answer holds up nobody else, and each chat keeps its order.
 */
export class FilesAhead {
  /** Message whose file is waited for, by chat in order of arrival. */
  private readonly waiting = new Map<string, LedgerMessage>();
  private readonly inTransfer = new Set<LedgerMessage>();
  private transfers = 0;
  private socket: PlatformSocket | undefined;
  private stopped = new AbortController();

  constructor(
    private readonly tools: FileTools,
    private readonly outcome: FileOutcome,
  ) {}

  attach(socket: PlatformSocket): void {
    this.detach();
    this.socket = socket;
  }

  /** Breaks all transfers off; they begin anew with the next socket. */
  detach(): void {
    this.stopped.abort();
    this.stopped = new AbortController();
    this.waiting.clear();
    this.inTransfer.clear();
    this.transfers = 0;
    this.socket = undefined;
  }

  /** Lists the chats of which nothing may be sent now. */
  get chats(): string[] {
    return [...this.waiting.keys()];
  }

  get isFull(): boolean {
    return this.waiting.size >= MAX_CHATS;
  }

  /** Brings the file of a message, which is to be claimed again when the file is there. */
  add(message: LedgerMessage): void {
    this.waiting.set(message.to, message);
    this.startTransfers();
  }

  private startTransfers(): void {
    for (const message of this.waiting.values()) {
      if (!this.socket || this.transfers >= MAX_TRANSFERS) return;
      if (this.inTransfer.has(message)) continue;
      this.inTransfer.add(message);
      void this.bring(message, this.socket, this.stopped.signal);
    }
  }

  private async bring(message: LedgerMessage, socket: PlatformSocket, stopped: AbortSignal): Promise<void> {
    const { ledger, scope } = this.tools;
    this.transfers += 1;
    const { uploaded, ended } = this.tools.files.upload(message, socket, stopped);
    // The file does not leave the list when its time is up: a transfer that cannot be broken off is on the disk for longer.
    void ended.then(() => {
      if (stopped.aborted) return;
      this.transfers -= 1;
      this.startTransfers();
    });
    try {
      const file = await uploaded;
      atStep('out-13');
      if (!stopped.aborted) await patiently(() => ledger.keepUpload(scope, message.jobId, file));
      atStep('out-14');
    } catch (error) {
      const pause = stopped.aborted ? undefined : this.pauseAfter(message, error);
      if (pause !== undefined) await delay(pause, undefined, { signal: stopped }).catch(() => undefined);
    }
    if (stopped.aborted) return;
    this.inTransfer.delete(message);
    this.waiting.delete(message.to);
    this.outcome.done();
  }

  /** Computes the wait before another try, in ms; undefined when there is none. */
  private pauseAfter(message: LedgerMessage, error: unknown): number | undefined {
    if (error instanceof FileError) {
      const tries = this.outcome.failed(message, error);
      return tries < MAX_TRIES ? RETRY_MS * BACKOFF ** (tries - 1) : undefined;
    }
    log().warn({ jobId: message.jobId, err: error }, 'media store or database is away, file waits');
    const waited = Date.now() - message.acceptedAt.getTime();
    return Math.min(WAIT_MS.most, Math.max(WAIT_MS.least, waited * WAIT_PART));
  }
}
