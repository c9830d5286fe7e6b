import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { DEF_MEDIA_HOST, getMediaKeys } from '@whiskeysockets/baileys';
import type { FileReference } from '../../inbound/file-reference.js';
import { MediaError } from '../platform.js';

const MAC_BYTES = 10;
/** A file is padded to whole blocks before it is encrypted. */
const BLOCK_BYTES = 16;

/** How a file may be fetched. */
export interface DownloadLimits {
  signal: AbortSignal;
  maxBytes: number;
  /** The name in a message is the sender's: only these, and what is below the platform's own. */
  isHostAllowed(hostname: string): boolean;
}

/**
 * Fetches the file of a message and decrypts it. Everything that there is to check is checked, which the library's own
 * download does not do; it is checked at the end, so nothing of it may count before the last byte.
 * @throws MediaError
 */
export async function* downloadFile(
  file: FileReference,
  limits: DownloadLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const response = await request(addressOf(file, limits), limits.signal);
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > limits.maxBytes + BLOCK_BYTES + MAC_BYTES || !response.body) {
    await response.body?.cancel();
    throw new MediaError(response.body ? 'TOO_LARGE' : 'UNAVAILABLE', Boolean(response.body));
  }
  yield* decrypted(arriving(response.body), file, limits.maxBytes);
}

function addressOf({ url, directPath }: FileReference, { isHostAllowed }: DownloadLimits): URL {
  const base = url ?? `https://${DEF_MEDIA_HOST}`;
  const address = URL.canParse(directPath ?? base, base) ? new URL(directPath ?? base, base) : undefined;
  if (address?.protocol !== 'https:' || !isHostAllowed(address.hostname))
    throw new MediaError('INVALID', true);
  return address;
}

async function request(address: URL, signal: AbortSignal): Promise<Response> {
  const response = await fetch(address, {
    ...{ signal, redirect: 'error' },
    headers: { origin: 'https://web.whatsapp.com' },
  }).catch((error: unknown) => {
    throw new MediaError('UNAVAILABLE', false, error);
  });
  if (response.ok) return response;
  await response.body?.cancel();
  // What is not there will not be there in a minute either; all else may pass.
  const isGone = [403, 404, 410].includes(response.status);
  throw new MediaError(isGone ? 'GONE' : 'UNAVAILABLE', isGone);
}

async function* arriving(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw new MediaError('UNAVAILABLE', false, error);
  }
}

async function* decrypted(
  sealed: AsyncIterable<Uint8Array>,
  file: FileReference,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { iv, cipherKey, macKey } = await getMediaKeys(file.mediaKey, file.kind);
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey as Uint8Array).update(iv);
  const [outer, inner] = [createHash('sha256'), createHash('sha256')];
  let size = 0;
  // The last bytes are no part of the file, and which are the last is known at the end.
  let tail = Buffer.alloc(0);
  for await (const chunk of sealed) {
    outer.update(chunk);
    const known = Buffer.concat([tail, chunk]);
    const end = Math.max(0, known.length - MAC_BYTES);
    tail = known.subarray(end);
    mac.update(known.subarray(0, end));
    const plain = decipher.update(known.subarray(0, end));
    size += plain.length;
    if (size > maxBytes) throw new MediaError('TOO_LARGE', true);
    inner.update(plain);
    yield plain;
  }
  const isWhole = outer.digest().equals(file.encryptedSha256);
  const isSealed = mac.digest().subarray(0, MAC_BYTES).equals(tail);
  if (!isWhole || !isSealed) throw new MediaError('CORRUPT', true);
  const rest = lastOf(() => decipher.final());
  inner.update(rest);
  if (!inner.digest().equals(file.sha256)) throw new MediaError('CORRUPT', true);
  if (size + rest.length > maxBytes) throw new MediaError('TOO_LARGE', true);
  yield rest;
}

function lastOf(final: () => Buffer): Buffer {
  try {
    return final();
  } catch (error) {
    throw new MediaError('CORRUPT', true, error);
  }
}
