import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppError, type MediaFailure, type MessageMedia } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore, MediaTooLargeError, type StoredMedia } from '@svc/media-store';
import { log, OutboxService, PeriodicTask } from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { KeyWriter } from '../journal/key-writer.js';
import type { Fence } from '../ownership/fence.js';
import { OwnershipService } from '../ownership/ownership.service.js';
import { contentOf } from '../platform/whatsapp/messages/incoming-content.js';
import { downloadFile } from '../platform/whatsapp/messages/media-download.js';
import { MediaError } from '../platform/port.js';
import { isPlatformHost } from '../platform/platform-url.js';
import { SessionRoutes } from '../sessions/session-routes.js';
import { atStep } from '../steps.js';
import { fileReference } from '../platform/whatsapp/messages/file-reference.js';
import { type AwaitedFile, awaitedFiles, beginAttempt, settle, withdrawAttempt } from './media-rows.js';

const SWEEP_MS = 1_000;
/** Files looked at in one turn; those behind them wait. */
const MOST = 500;
const MOST_ATTEMPTS = 5;
const STORE_PAUSE_MS = 2_000;
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000];

/** Since when this process waits for a file, and when it tries again. */
interface Wait {
  since: number;
  notBefore: number;
}

/**
 * Fetches the files of journaled messages, and tells each message once its file is stored or will not come. The rows say
 * what is to be done: what another process began and did not finish is found here by whoever owns the session next.
 */
@Injectable()
export class MediaService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task = new PeriodicTask('media', SWEEP_MS, async () => this.wake());
  private readonly stopping = new AbortController();
  private readonly waits = new Map<string, Wait>();
  private readonly inHand = new Map<string, Promise<void>>();
  private wanted = false;
  private turn: Promise<void> | undefined;

  constructor(
    private readonly config: WorkerConfig,
    private readonly dataSource: DataSource,
    private readonly ownership: OwnershipService,
    private readonly outbox: OutboxService,
    private readonly routes: SessionRoutes,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    keys: KeyWriter,
  ) {
    keys.onFileAwaited = () => this.wake();
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** What is being fetched goes on at the next owner of its session. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
    this.stopping.abort();
    await this.turn;
    await Promise.all(this.inHand.values());
  }

  private wake(): void {
    this.wanted = true;
    this.turn ??= this.turns().finally(() => (this.turn = undefined));
  }

  private async turns(): Promise<void> {
    while (this.wanted && !this.stopping.signal.aborted) {
      this.wanted = false;
      await this.sweep().catch((error: unknown) => log().warn({ err: error }, 'files wait'));
    }
  }

  private async sweep(): Promise<void> {
    const files = await awaitedFiles(this.dataSource, this.ownership.held, MOST);
    const ids = new Set(files.map(({ mediaId }) => mediaId));
    for (const id of this.waits.keys()) if (!ids.has(id)) this.waits.delete(id);
    for (const file of files) this.consider(file);
  }

  private consider(file: AwaitedFile): void {
    const fence = this.ownership.fenceOf(file.partition);
    if (!fence || this.inHand.has(file.mediaId)) return;
    const now = performance.now();
    const wait = this.waits.get(file.mediaId) ?? { since: now, notBefore: now };
    this.waits.set(file.mediaId, wait);
    const isLate = now - wait.since > this.config.mediaTimeoutMs;
    if (now < wait.notBefore || (!isLate && this.inHand.size >= this.config.mediaDownloads)) return;
    // Also where nothing comes of it: a database that is away is not asked again at once.
    wait.notBefore = now + SWEEP_MS;
    const work = (isLate ? this.giveUp(file, fence) : this.attempt(file, fence, wait))
      .catch((error: unknown) => log().warn({ mediaId: file.mediaId, err: error }, 'file waits'))
      .finally(() => {
        this.inHand.delete(file.mediaId);
        this.wake();
      });
    this.inHand.set(file.mediaId, work);
  }

  private async attempt(file: AwaitedFile, fence: Fence, wait: Wait): Promise<void> {
    const begun = await beginAttempt(this.dataSource, fence, file.mediaId);
    if (!begun) return;
    atStep('in-7');
    try {
      const stored = await this.fetch(file, begun.plaintext);
      atStep('in-8');
      await this.settle(file, fence, stored);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      if (isStoreAway(error)) {
        log().warn({ ...named(file), err: error }, 'media store is away, file waits');
        wait.notBefore = performance.now() + STORE_PAUSE_MS;
        return withdrawAttempt(this.dataSource, fence, file.mediaId);
      }
      const { reason, isFinal } = verdict(error);
      log().info(
        { ...named(file), attempt: begun.attempts, reason, err: error },
        'file could not be fetched',
      );
      if (isFinal || begun.attempts >= MOST_ATTEMPTS) return this.settle(file, fence, reason);
      wait.notBefore = performance.now() + (PAUSES_MS[begun.attempts - 1] ?? SWEEP_MS);
    }
  }

  private async fetch({ mediaId, sessionId }: AwaitedFile, plaintext: Uint8Array): Promise<StoredMedia> {
    const content = contentOf(plaintext);
    const reference = content && fileReference(content);
    if (!reference) throw new MediaError('INVALID', true);
    const { mediaMaxBytes: maxBytes, mediaTimeoutMs } = this.config;
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(mediaTimeoutMs)]);
    const { url, proxy } = await this.routes.of(sessionId);
    const agent = proxy?.agent;
    const isHostAllowed = (name: string): boolean => isPlatformHost(name, url);
    const limits = { signal, maxBytes, isHostAllowed, ...(agent ? { agent } : {}) };
    return this.store.put(mediaId, downloadFile(reference, limits), maxBytes);
  }

  private async giveUp(file: AwaitedFile, fence: Fence): Promise<void> {
    log().warn(named(file), 'file is given up');
    await this.settle(file, fence, 'UNAVAILABLE');
  }

  /** A file of a contact who was erased while it was fetched: its row is gone, and nobody would find it. */
  private async dropOfErased(file: AwaitedFile): Promise<void> {
    const sql = 'SELECT 1 FROM inbound_media WHERE media_id = $1';
    const rows = await this.dataSource.query<unknown[]>(sql, [file.mediaId]);
    if (rows.length === 0) await this.store.delete(file.mediaId);
  }

  private async settle(file: AwaitedFile, fence: Fence, outcome: StoredMedia | MediaFailure): Promise<void> {
    const event = await settle(this.dataSource, fence, factsOf(file, outcome));
    if (event) this.outbox.publish([event]);
    else if (typeof outcome !== 'string') await this.dropOfErased(file);
  }
}

function factsOf({ mediaId, mimeType }: AwaitedFile, outcome: StoredMedia | MediaFailure): MessageMedia {
  if (typeof outcome !== 'string') return { mediaId, status: 'STORED', mimeType, ...outcome, reason: null };
  return { mediaId, status: 'FAILED', mimeType, size: null, sha256: null, reason: outcome };
}

/** No try of the file, but one of the store. */
function isStoreAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'UPSTREAM_UNAVAILABLE';
}

/** What an error means for the file. */
function verdict(error: unknown): { reason: MediaFailure; isFinal: boolean } {
  if (error instanceof MediaError) return error;
  if (error instanceof MediaTooLargeError) return { reason: 'TOO_LARGE', isFinal: true };
  return { reason: 'UNAVAILABLE', isFinal: false };
}

function named({ mediaId, sessionId }: AwaitedFile): { mediaId: string; sessionId: string } {
  return { mediaId, sessionId };
}
