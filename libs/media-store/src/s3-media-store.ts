import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { AppError } from '@svc/contracts';
import { AwsV4Signer } from 'aws4fetch';
import { assertMediaId, type MediaStore, type StoredMedia } from './media-store.js';
import type { Spool } from './spool.js';

/** Longest wait for the beginning of an answer, in ms; an upload is answered when it is whole. */
const ANSWER_TIMEOUT_MS = 120_000;
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
  ) {}

  async put(
    id: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    maxBytes: number,
  ): Promise<StoredMedia> {
    assertMediaId(id);
    return this.spool.pass(source, maxBytes, async (path, { size, sha256 }) => {
      const body = createReadStream(path);
      const response = await this.call('PUT', id, { sha256, size, body });
      await assertOk(response);
      await response.body?.cancel();
    });
  }

  async get(id: string): Promise<{ size: number; stream: Readable } | undefined> {
    const response = await this.call('GET', id);
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    await assertOk(response);
    const stream = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([]);
    return { size: Number(response.headers.get('content-length')), stream };
  }

  async delete(id: string): Promise<void> {
    const response = await this.call('DELETE', id);
    if (response.status !== 404) await assertOk(response);
    await response.body?.cancel();
  }

  private async call(
    method: 'PUT' | 'GET' | 'DELETE',
    id: string,
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
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), ANSWER_TIMEOUT_MS);
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
