import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError, type MediaFailure, type MessageMedia } from '@svc/contracts';
import { isOfContent } from '@svc/database';
import { MEDIA_STORE, type MediaStore, MediaTooLargeError, type StoredMedia } from '@svc/media-store';
import { type Fence, PartitionOwner } from '@svc/ownership';
import {
  FairPlaces,
  log,
  OutboxService,
  type Place,
  PeriodicTasks,
  refusalWords,
  startTimeLimit,
} from '@svc/service';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { KeyWriter } from '../journal/key-writer.js';
import { MediaError } from '../platform/errors.js';
import { Platform } from '../platform/port.js';
import { SessionRoutes } from '../sessions/session-routes.js';
import { atStep } from '../steps.js';
import { countUntold } from '../untold.js';
import { MediaRoom } from './media-room.js';
import {
  type PendingFile,
  pendingFiles,
  beginAttempt,
  endUntold,
  finishMedia,
  withdrawAttempt,
} from './media-rows.js';

const SWEEP_MS = 1_000;
/** Files looked at in one sweep; those behind them wait. */
const BATCH = 500;
const MAX_ATTEMPTS = 5;
const STORE_PAUSE_MS = 2_000;
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000];

/** Time since which this process waits for a file, and the time of its next attempt. */
interface Wait {
  since: number;
  notBefore: number;
  /** There while it waits for a place, or is fetched. */
  place?: Place | undefined;
}

/**
 * Fetches the files of journaled messages, and publishes the event of each message once its file is stored or will not come. The rows say
 * what is to be done: the next owner of the session finds here what another process began and did not finish.
 */
@Injectable()
export class MediaService implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly waits = new Map<string, Wait>();
  private readonly places: FairPlaces;
  private readonly inHand = new Map<string, Promise<void>>();
  private wanted = false;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly config: WorkerConfig,
    private readonly dataSource: DataSource,
    private readonly owner: PartitionOwner,
    private readonly outbox: OutboxService,
    private readonly routes: SessionRoutes,
    private readonly platform: Platform,
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly room: MediaRoom,
    keys: KeyWriter,
    tasks: PeriodicTasks,
  ) {
    // The proxy of a session decides how long a download takes.
    this.places = new FairPlaces('inbound files', config.mediaDownloads);
    tasks.add('media', SWEEP_MS, async () => this.wake());
    keys.events.on('fileAwaited', () => this.wake());
  }

  /** Stops this service; the next owner of a session goes on with the files of that session. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.sweeping;
    await Promise.all(this.inHand.values());
  }

  private wake(): void {
    this.wanted = true;
    this.sweeping ??= this.sweepWhileWanted().finally(() => (this.sweeping = undefined));
  }

  private async sweepWhileWanted(): Promise<void> {
    while (this.wanted && !this.stopping.signal.aborted) {
      this.wanted = false;
      await this.sweep().catch((error: unknown) => log().warn({ err: error }, 'files wait'));
    }
  }

  private async sweep(): Promise<void> {
    const files = await pendingFiles(this.dataSource, this.owner.held, BATCH);
    const ids = new Set(files.map(({ mediaId }) => mediaId));
    for (const [id, { place }] of this.waits) {
      if (ids.has(id) || this.inHand.has(id)) continue;
      place?.leave();
      this.waits.delete(id);
    }
    for (const file of files) this.consider(file);
  }

  private consider(file: PendingFile): void {
    const fence = this.owner.fenceOf(file.partition);
    if (!fence || this.inHand.has(file.mediaId)) return;
    const now = performance.now();
    const wait = this.waits.get(file.mediaId) ?? { since: now, notBefore: now };
    this.waits.set(file.mediaId, wait);
    const isLate = now - wait.since > this.config.mediaTimeoutMs;
    if (now < wait.notBefore || (wait.place && !isLate)) return;
    if (!isLate) wait.place = this.places.enter(file.tenantId, () => this.attemptInPlace(file, wait));
    else {
      wait.place?.leave();
      this.take(file, wait, this.giveUp(file, fence));
    }
  }

  private attemptInPlace(file: PendingFile, wait: Wait): void {
    // It may be another's by now.
    const fence = this.owner.fenceOf(file.partition);
    const work = fence && !this.stopping.signal.aborted ? this.attempt(file, fence, wait) : Promise.resolve();
    this.take(file, wait, work);
  }

  private take(file: PendingFile, wait: Wait, work: Promise<void>): void {
    // The wait also holds where nothing comes of it: a database that is away is not asked again without a pause.
    wait.notBefore = performance.now() + SWEEP_MS;
    const done = work
      .catch((error: unknown) => log().warn({ mediaId: file.mediaId, err: error }, 'file waits'))
      .finally(() => {
        wait.place?.leave();
        wait.place = undefined;
        this.inHand.delete(file.mediaId);
        this.wake();
      });
    this.inHand.set(file.mediaId, done);
  }

  private async attempt(file: PendingFile, fence: Fence, wait: Wait): Promise<void> {
    const attempt = await beginAttempt(this.dataSource, fence, file.mediaId);
    if (!attempt) return;
    atStep('in-7');
    try {
      const stored = await this.fetch(file, attempt.plaintext);
      atStep('in-8');
      await this.finish(file, fence, stored);
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      if (isStoreAway(error)) {
        log().warn({ ...named(file), err: error }, 'media store is away, file waits');
        wait.notBefore = performance.now() + STORE_PAUSE_MS;
        return withdrawAttempt(this.dataSource, fence, file.mediaId);
      }
      const { reason, isFinal } = verdict(error);
      log().info(
        { ...named(file), attempt: attempt.attempts, reason, err: error },
        'file could not be fetched',
      );
      if (isFinal || attempt.attempts >= MAX_ATTEMPTS) return this.finish(file, fence, reason);
      wait.notBefore = performance.now() + (PAUSES_MS[attempt.attempts - 1] ?? SWEEP_MS);
    }
  }

  private async fetch(
    { mediaId, tenantId, sessionId }: PendingFile,
    plaintext: Uint8Array,
  ): Promise<StoredMedia> {
    const { mediaMaxBytes, mediaTimeoutMs } = this.config;
    const maxBytes = Math.min(mediaMaxBytes, await this.room.left(tenantId));
    if (maxBytes <= 0) throw new MediaError('TOO_LARGE', true);
    const { signal, clear } = startTimeLimit(mediaTimeoutMs, this.stopping.signal);
    try {
      const { url: platformUrl, agent } = await this.routes.of(sessionId);
      const limits = { signal, maxBytes, platformUrl, ...(agent ? { agent } : {}) };
      const stored = await this.store.put(mediaId, this.platform.download(plaintext, limits), maxBytes);
      this.room.take(tenantId, stored.size);
      return stored;
    } finally {
      clear();
    }
  }

  private async giveUp(file: PendingFile, fence: Fence): Promise<void> {
    log().warn(named(file), 'file is given up');
    await this.finish(file, fence, 'UNAVAILABLE');
  }

  /** Deletes the file of a contact who was erased while it was fetched: its row is gone, and no later step would find it. */
  private async dropOfErased(file: PendingFile): Promise<void> {
    const sql = 'SELECT 1 FROM inbound_media WHERE media_id = $1';
    const rows = await this.dataSource.query<unknown[]>(sql, [file.mediaId]);
    if (rows.length === 0) await this.store.delete(file.mediaId);
  }

  private async finish(file: PendingFile, fence: Fence, outcome: StoredMedia | MediaFailure): Promise<void> {
    try {
      const event = await finishMedia(this.dataSource, fence, factsOf(file, outcome));
      if (event) this.outbox.publish([event]);
      else if (typeof outcome !== 'string') await this.dropOfErased(file);
    } catch (error) {
      if (!isOfContent(error)) throw error;
      await this.finishRefused(file, fence, error);
    }
  }

  /** Ends a file whose event the database refuses for its content's sake: it would be refused again for ever. */
  private async finishRefused(file: PendingFile, fence: Fence, refusal: unknown): Promise<void> {
    const fields = (error: unknown): object => ({ ...named(file), err: error, words: refusalWords(error) });
    log().error(fields(refusal), 'the message of a file is told without its content');
    await this.store.delete(file.mediaId);
    try {
      const media = factsOf({ ...file, mimeType: null }, 'UNAVAILABLE');
      const event = await finishMedia(this.dataSource, fence, media, true);
      if (event) this.outbox.publish([event]);
    } catch (error) {
      if (!isOfContent(error)) throw error;
      log().error(fields(error), 'the message of a file is not told: its event is refused');
      countUntold('file');
      await endUntold(this.dataSource, fence, file.mediaId);
    }
  }
}

function factsOf({ mediaId, mimeType }: PendingFile, outcome: StoredMedia | MediaFailure): MessageMedia {
  if (typeof outcome !== 'string') return { mediaId, status: 'STORED', mimeType, ...outcome, reason: null };
  return { mediaId, status: 'FAILED', mimeType, size: null, sha256: null, reason: outcome };
}

/** Says whether the store failed, and not the file. */
function isStoreAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'UPSTREAM_UNAVAILABLE';
}

/** Says what an error means for the file. */
function verdict(error: unknown): { reason: MediaFailure; isFinal: boolean } {
  if (error instanceof MediaError) return error;
  if (error instanceof MediaTooLargeError) return { reason: 'TOO_LARGE', isFinal: true };
  return { reason: 'UNAVAILABLE', isFinal: false };
}

function named({ mediaId, sessionId }: PendingFile): { mediaId: string; sessionId: string } {
  return { mediaId, sessionId };
}
