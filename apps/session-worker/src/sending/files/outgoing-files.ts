import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  contradicts,
  isOfKind,
  type MediaContent,
  type MediaKind,
  OUTBOUND_MAX_BYTES,
  type OutboundContent,
  typesOf,
} from '@svc/contracts';
import { MEDIA_STORE, type MediaStore, SIGNATURE_BYTES, signatureOf, UNKNOWN_TYPE } from '@svc/media-store';
import { FairPlaces, startTimeLimit, type TimeLimit } from '@svc/service';
import { WorkerConfig } from '../../config.js';
import type { PlatformSocket } from '../../platform/port.js';
import { ProxyError, type ProxyRoute } from '../../platform/proxy.js';
import { SessionRoutes } from '../../sessions/session-routes.js';
import { type FetchedFile, FileFetcher } from './file-fetcher.js';
import { OutgoingFolder } from './outgoing-folder.js';
import type { LedgerMessage } from '../ledger/ledger.js';
import { FileError, tooLarge } from '../ledger/failures.js';

const IGNORE_BOTH = [(): void => undefined, (): void => undefined] as const;

/** A file on its way. */
export interface Transfer {
  /**
   * Result of `PlatformSocket.upload`. Rejects with a `FileError` where the file, its server or the platform is at fault, and with another
   * error where the store, the database or the disk is.
   */
  uploaded: Promise<Uint8Array>;
  /** Resolves when nothing of it is left here. */
  ended: Promise<void>;
}

/** Brings the files of outbound messages from the store, or from where a tenant keeps them, to the platform. */
@Injectable()
export class OutgoingFiles {
  private readonly places: FairPlaces;

  constructor(
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly fetcher: FileFetcher,
    private readonly folder: OutgoingFolder,
    private readonly routes: SessionRoutes,
    private readonly config: WorkerConfig,
  ) {
    this.places = new FairPlaces('outgoing files', config.mediaUploads);
  }

  /**
   * Brings a file to the platform once there is a place, and then within one time limit for all of it: the messages of the chat wait, and
   * who holds a place decides, by his server or his proxy, how long it takes.
   */
  upload(message: LedgerMessage, socket: PlatformSocket, stopped: AbortSignal): Transfer {
    const { mediaSendTimeoutMs } = this.config;
    // Our own store that does not answer is no fault of the file.
    let step: FileError['code'] | undefined = message.content.media?.url ? 'MEDIA_UNAVAILABLE' : undefined;
    let limit: TimeLimit | undefined;
    let giveUp = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      giveUp = () => {
        if (stopped.aborted) return; // then the work itself says so
        const words = `not done within ${mediaSendTimeoutMs} ms`;
        reject(step ? new FileError(step, words, false) : new Error(words));
      };
    });
    const bring = (): Promise<Uint8Array> => {
      limit = startTimeLimit(mediaSendTimeoutMs, stopped);
      limit.signal.addEventListener('abort', giveUp);
      return this.bring(message, socket, limit.signal, () => (step = 'MEDIA_UPLOAD_FAILED'));
    };
    const work = this.places.run(message.tenantId, bring, stopped);
    const ended = work.then(...IGNORE_BOTH).finally(() => limit?.clear());
    return { uploaded: Promise.race([work, late]), ended };
  }

  private async bring(
    message: LedgerMessage,
    socket: PlatformSocket,
    signal: AbortSignal,
    onFetched: () => void,
  ): Promise<Uint8Array> {
    const path = join(this.folder.path, randomUUID());
    try {
      const source = await this.open(message, signal);
      await pipeline(source.stream, createWriteStream(path, { mode: 0o600 }), { signal });
      const file = { path, ...(await describe(message.content, path, source)) };
      onFetched();
      return await socket.upload(message.content, file, signal).catch(() => {
        throw new FileError('MEDIA_UPLOAD_FAILED', 'the transfer broke off', false);
      });
    } finally {
      await rm(path, { force: true });
    }
  }

  private async open({ sessionId, content }: LedgerMessage, signal: AbortSignal): Promise<FetchedFile> {
    const { url, mediaId = '' } = content.media as MediaContent;
    const maxBytes = OUTBOUND_MAX_BYTES[content.type as MediaKind];
    if (url === undefined)
      return { stream: await this.fromStore(mediaId, maxBytes), mimeType: undefined, filename: undefined };
    const route = await this.routeOf(sessionId);
    const journey = { signal, ...(route ? { route } : {}) };
    return this.fetcher.fetch(url, maxBytes, journey);
  }

  private async routeOf(sessionId: string): Promise<ProxyRoute | undefined> {
    try {
      return (await this.routes.of(sessionId)).proxy;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      throw new FileError('MEDIA_UNAVAILABLE', 'the proxy of the session cannot be used', false);
    }
  }

  private async fromStore(mediaId: string, maxBytes: number): Promise<Readable> {
    const found = await this.store.get(mediaId);
    if (!found) throw new FileError('MEDIA_UNAVAILABLE', 'it is not kept any more', true);
    if (found.size <= maxBytes) return found.stream;
    found.stream.destroy();
    throw tooLarge(maxBytes);
  }
}

/**
 * Says what a file is, by one rule wherever it came from: as its sender says, else as its server does, else by its first bytes; and what it is
 * called. What it is by its bytes, or where those say nothing by its server, must be of its kind: a page that asks to log in is no picture.
 * @throws FileError where it is empty, or none of its kind.
 */
async function describe(
  { type, media }: OutboundContent,
  path: string,
  served: FetchedFile,
): Promise<{ mimeType: string; filename?: string }> {
  const kind = type as MediaKind;
  const actual = await readSignature(path, kind);
  assertKind(kind, actual.mimeType, served.mimeType);
  const mimeType = media?.mimeType ?? served.mimeType ?? actual.mimeType ?? UNKNOWN_TYPE;
  const filename = served.filename ?? actual.filename;
  return { mimeType, ...(filename ? { filename } : {}) };
}

/** Reads what the first bytes of a file say. @throws FileError where there are none. */
async function readSignature(
  path: string,
  kind: MediaKind,
): Promise<{ mimeType?: string; filename?: string }> {
  const bytes = await firstBytes(path);
  if (bytes.length === 0) throw new FileError('MEDIA_REFUSED', 'it is empty', true);
  const found = await signatureOf(bytes);
  return found ? { mimeType: found.mimeType, filename: `${kind}.${found.ending}` } : {};
}

function assertKind(kind: MediaKind, actual: string | undefined, served: string | undefined): void {
  const claim = served !== undefined && !isOfKind(kind, served) ? served : undefined;
  const isWrong = contradicts(kind, actual) || (actual === undefined && claim !== undefined);
  if (!isWrong) return;
  const words = `it is ${actual ?? claim ?? 'of no type that its bytes show'}, and as ${kind} must be ${typesOf(kind)}`;
  throw new FileError('MEDIA_REFUSED', words, true);
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
