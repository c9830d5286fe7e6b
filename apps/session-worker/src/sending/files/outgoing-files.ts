import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { isOfKind, OUTBOUND_MAX_BYTES, type MediaContent, type MediaKind, typesOf } from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { WorkerConfig } from '../../config.js';
import type { PlatformSocket } from '../../platform/port.js';
import { ProxyError, type ProxyRoute } from '../../platform/proxy.js';
import { SessionRoutes } from '../../sessions/session-routes.js';
import { FileFetcher } from './file-fetcher.js';
import { OutgoingFolder } from './outgoing-folder.js';
import type { LedgerMessage } from '../ledger.js';
import { FileError } from '../failures.js';

const UNKNOWN_TYPE = 'application/octet-stream';
const IGNORE_BOTH = [(): void => undefined, (): void => undefined] as const;

/** A file on its way. */
export interface Transfer {
  /**
   * What `PlatformSocket.upload` made of it. Rejects with a `FileError` where the file, its server or the platform is at fault,
   * and with another error where the store, the database or the disk is.
   */
  uploaded: Promise<Uint8Array>;
  /** Resolves when nothing of it is left here, at the latest after twice its time. */
  ended: Promise<void>;
}

/** Brings the files of outbound messages from the store, or from where a tenant keeps them, to the platform. */
@Injectable()
export class OutgoingFiles {
  constructor(
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly fetcher: FileFetcher,
    private readonly folder: OutgoingFolder,
    private readonly routes: SessionRoutes,
    private readonly config: WorkerConfig,
  ) {}

  /** Begins to bring a file to the platform, within one time limit for all of it, because the messages of the chat wait. */
  upload(message: LedgerMessage, socket: PlatformSocket, stopped: AbortSignal): Transfer {
    const { mediaSendTimeoutMs } = this.config;
    const limit = new AbortController();
    // Our own store that does not answer is no fault of the file.
    let step: FileError['code'] | undefined = message.content.media?.url ? 'MEDIA_UNAVAILABLE' : undefined;
    const work = this.bring(message, socket, AbortSignal.any([stopped, limit.signal]), () => {
      step = 'MEDIA_UPLOAD_FAILED';
    });
    const done = work.then(...IGNORE_BOTH);
    const late = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => {
        const words = `not done within ${mediaSendTimeoutMs} ms`;
        reject(step ? new FileError(step, words, false) : new Error(words));
        limit.abort();
      }, mediaSendTimeoutMs);
      void done.then(() => clearTimeout(timer));
    });
    // The library's upload takes no signal, and may hang for good when the host breaks off within its answer.
    const overtime = late.catch(() => delay(mediaSendTimeoutMs, undefined, { ref: false }));
    return { uploaded: Promise.race([work, late]), ended: Promise.race([done, overtime]) };
  }

  private async bring(
    message: LedgerMessage,
    socket: PlatformSocket,
    signal: AbortSignal,
    onFetched: () => void,
  ): Promise<Uint8Array> {
    const path = join(this.folder.path, randomUUID());
    try {
      const { stream, mimeType } = await this.open(message, signal);
      await pipeline(stream, createWriteStream(path, { mode: 0o600 }), { signal });
      onFetched();
      return await socket.upload(message.content, { path, mimeType }).catch(() => {
        throw new FileError('MEDIA_UPLOAD_FAILED', 'the transfer broke off', false);
      });
    } finally {
      await rm(path, { force: true });
    }
  }

  private async open(
    { sessionId, content }: LedgerMessage,
    signal: AbortSignal,
  ): Promise<{ stream: Readable; mimeType: string }> {
    const { url, mediaId = '', mimeType } = content.media as MediaContent;
    if (url === undefined)
      return { stream: await this.fromStore(mediaId), mimeType: mimeType ?? UNKNOWN_TYPE };
    const kind = content.type as MediaKind;
    const route = await this.routeOf(sessionId);
    const journey = { signal, ...(route ? { route } : {}) };
    const { stream, mimeType: served } = await this.fetcher.fetch(url, OUTBOUND_MAX_BYTES[kind], journey);
    // A page that asks to log in is no picture.
    if (served && !isOfKind(kind, served)) {
      stream.destroy();
      throw new FileError('MEDIA_REFUSED', `it is ${served}, and as ${kind} must be ${typesOf(kind)}`, true);
    }
    return { stream, mimeType: mimeType ?? served ?? UNKNOWN_TYPE };
  }

  private async routeOf(sessionId: string): Promise<ProxyRoute | undefined> {
    try {
      return (await this.routes.of(sessionId)).proxy;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      throw new FileError('MEDIA_UNAVAILABLE', 'the proxy of the session cannot be used', false);
    }
  }

  private async fromStore(mediaId: string): Promise<Readable> {
    const found = await this.store.get(mediaId);
    if (!found) throw new FileError('MEDIA_UNAVAILABLE', 'it is not kept any more', true);
    return found.stream;
  }
}
