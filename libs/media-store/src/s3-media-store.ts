import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AppError } from '@svc/contracts';
import { AwsV4Signer } from 'aws4fetch';
import { assertMediaId, type MediaStore, type StoredMedia } from './media-store.js';
import type { Spool } from './spool.js';

/** Longest wait for the S3 API: until its answer begins (an upload is answered when it is whole), and for all pieces of a file. */
const PATIENCE_MS = 120_000;
const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Place of the bucket, and the credentials for it. */
export interface S3Place {
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
}

/** Media in a bucket of an S3 API. The digest of each upload is signed, so that the server takes nothing else. */
export class S3MediaStore implements MediaStore {
  constructor(
    private readonly place: S3Place,
    private readonly spool: Spool,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  async put(
    id: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    maxBytes: number,
  ): Promise<StoredMedia> {
    assertMediaId(id);
    return this.spool.pass(source, maxBytes, async (path, { size, sha256 }) => {
      const body = createReadStream(path);
      const response = await this.call('PUT', id, new AbortController(), { sha256, size, body });
      await assertOk(response);
      await response.body?.cancel();
    });
  }

  async get(id: string): Promise<{ size: number; stream: Readable } | undefined> {
    const limit = new AbortController();
    const response = await this.call('GET', id, limit);
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    await assertOk(response);
    const length = response.headers.get('content-length');
    if (length === null || !response.body) {
      limit.abort();
      throw away(new Error('The S3 API does not say how long the file is.'));
    }
    return { size: Number(length), stream: this.streamOf(response.body, limit) };
  }

  /** Makes a stream of a body, whose connection ends with the stream. How long nobody reads it is no time that we wait. */
  private streamOf(body: ReadableStream<Uint8Array>, limit: AbortController): Readable {
    const reader = body.getReader();
    let leftMs = this.patienceMs;
    const readOn = async (): Promise<void> => {
      const since = performance.now();
      const timer = setTimeout(() => limit.abort(), leftMs);
      try {
        const { done, value } = await reader.read();
        leftMs -= performance.now() - since;
        stream.push(done ? null : value);
      } catch (cause) {
        stream.destroy(away(cause));
      } finally {
        clearTimeout(timer);
      }
    };
    const stream = new Readable({
      read: () => void readOn(),
      destroy: (error, done) => {
        limit.abort();
        done(error);
      },
    });
    return stream;
  }

  async delete(id: string): Promise<void> {
    const response = await this.call('DELETE', id, new AbortController());
    if (response.status !== 404) await assertOk(response);
    await response.body?.cancel();
  }

  private async call(
    method: 'PUT' | 'GET' | 'DELETE',
    id: string,
    limit: AbortController,
    upload?: { sha256: string; size: number; body: Readable },
  ): Promise<Response> {
    assertMediaId(id);
    const { endpoint, bucket, region, accessKey, secretKey } = this.place;
    const signer = new AwsV4Signer({
      ...{ method, service: 's3', region, accessKeyId: accessKey, secretAccessKey: secretKey },
      url: `${endpoint.replace(/\/$/, '')}/${bucket}/${id}`,
      headers: { 'x-amz-content-sha256': upload?.sha256 ?? EMPTY_SHA256 },
    });
    const { url, headers } = await signer.sign();
    if (upload) headers.set('content-length', String(upload.size));
    const timer = setTimeout(() => limit.abort(), this.patienceMs);
    try {
      return await fetch(url, {
        ...{ method, headers, signal: limit.signal, redirect: 'error' },
        // A refusal may come before the file is through: half duplex means that it is waited for.
        ...(upload ? { body: Readable.toWeb(upload.body), duplex: 'half' } : {}),
      } as RequestInit);
    } catch (cause) {
      throw away(cause);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function assertOk(response: Response): Promise<void> {
  if (response.ok) return;
  await response.body?.cancel();
  throw away(new Error(`The S3 API answered ${response.status}.`));
}

function away(cause: unknown): AppError {
  return new AppError('UPSTREAM_UNAVAILABLE', 'The media store cannot be reached.', {}, { cause });
}
