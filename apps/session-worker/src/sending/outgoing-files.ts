import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  isOfKind,
  OUTBOUND_MAX_BYTES,
  type MediaContent,
  type MediaKind,
  type OutboundContent,
  typesOf,
} from '@svc/contracts';
import { MEDIA_STORE, type MediaStore } from '@svc/media-store';
import { WorkerConfig } from '../config.js';
import type { PlatformSocket } from '../platform/platform.js';
import { FileFetcher } from './file-fetcher.js';
import { FileError } from './send-failure.js';

const ANYTHING = 'application/octet-stream';

/** Brings the files of outbound messages from the store, or from where a tenant keeps them, to the platform. */
@Injectable()
export class OutgoingFiles {
  constructor(
    @Inject(MEDIA_STORE) private readonly store: MediaStore,
    private readonly fetcher: FileFetcher,
    private readonly config: WorkerConfig,
  ) {}

  /**
   * Within one time limit for all of it, because the messages behind this one wait.
   * @returns what `PlatformSocket.upload` made of the file.
   * @throws FileError
   */
  async upload(content: OutboundContent, socket: PlatformSocket): Promise<Uint8Array> {
    const { mediaSendTimeoutMs } = this.config;
    const limit = new AbortController();
    let step: FileError['code'] = 'MEDIA_UNAVAILABLE';
    const work = async (): Promise<Uint8Array> => {
      const path = join(tmpdir(), `outgoing-${randomUUID()}`);
      try {
        const { stream, mimeType } = await this.open(content, limit.signal);
        await pipeline(stream, createWriteStream(path), { signal: limit.signal });
        step = 'MEDIA_UPLOAD_FAILED';
        return await socket.upload(content, { path, mimeType });
      } finally {
        await rm(path, { force: true });
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new FileError(step, `not done within ${mediaSendTimeoutMs} ms`, false));
        limit.abort();
      }, mediaSendTimeoutMs);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      throw error instanceof FileError ? error : new FileError(step, 'the transfer broke off', false);
    } finally {
      clearTimeout(timer);
    }
  }

  private async open(
    { type, media }: OutboundContent,
    signal: AbortSignal,
  ): Promise<{ stream: Readable; mimeType: string }> {
    const { url, mediaId = '', mimeType } = media as MediaContent;
    if (url === undefined) return { stream: await this.stored(mediaId), mimeType: mimeType ?? ANYTHING };
    const kind = type as MediaKind;
    const { stream, mimeType: told } = await this.fetcher.fetch(url, OUTBOUND_MAX_BYTES[kind], signal);
    // A page that asks to log in is no picture.
    if (told && !isOfKind(kind, told)) {
      stream.destroy();
      throw new FileError('MEDIA_REFUSED', `it is ${told}, and as ${kind} must be ${typesOf(kind)}`, true);
    }
    return { stream, mimeType: mimeType ?? told ?? ANYTHING };
  }

  private async stored(mediaId: string): Promise<Readable> {
    const found = await this.store.get(mediaId);
    if (!found) throw new FileError('MEDIA_UNAVAILABLE', 'it is not kept any more', true);
    return found.stream;
  }
}
