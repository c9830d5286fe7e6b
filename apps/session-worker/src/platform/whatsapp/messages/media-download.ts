import { createDecipheriv, createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { DEF_MEDIA_HOST, getMediaKeys } from '@whiskeysockets/baileys';
import { MediaError } from '../../errors.js';
import type { DownloadLimits } from '../../port.js';
import { readContent } from '../content/decoded-content.js';
import { type FileReference, fileReference } from '../content/file-reference.js';
import { isPlatformHost } from '../library/media-hosts.js';

const MAC_BYTES = 10;
/** A file is padded to whole blocks before it is encrypted. */
const BLOCK_BYTES = 16;

/**
 * Fetches the file of a message by its plaintext.
 * @throws MediaError
 */
export function downloadFile(
  plaintext: Uint8Array,
  limits: DownloadLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const decoded = readContent(plaintext);
  const file = typeof decoded === 'object' ? fileReference(decoded) : undefined;
  if (!file) throw new MediaError('INVALID', true);
  return download(file, limits);
}

// Library patch: checked-downloads
/**
 * Fetches a file and decrypts it. Everything that there is to check is checked, which the library's own
 * download does not do; it is checked at the end, so nothing of it may count before the last byte.
 * @throws MediaError
 */
async function* download(
  file: FileReference,
  limits: DownloadLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const response = await responseTo(addressOf(file, limits), limits);
  const length = Number(response.headers['content-length'] ?? 0);
  if (length > limits.maxBytes + BLOCK_BYTES + MAC_BYTES) {
    response.destroy();
    throw new MediaError('TOO_LARGE', true);
  }
  yield* decrypted(arriving(response, limits.signal), file, limits.maxBytes);
}

function addressOf({ url, directPath }: FileReference, { platformUrl }: DownloadLimits): URL {
  const base = url ?? `https://${DEF_MEDIA_HOST}`;
  const address = URL.canParse(directPath ?? base, base) ? new URL(directPath ?? base, base) : undefined;
  if (address?.protocol !== 'https:' || !isPlatformHost(address.hostname, platformUrl))
    throw new MediaError('INVALID', true);
  return address;
}

async function responseTo(address: URL, { signal, agent }: DownloadLimits): Promise<IncomingMessage> {
  const headers = { origin: 'https://web.whatsapp.com' };
  const sent = request(address, { signal, headers, ...(agent ? { agent } : {}) }).end();
  const [response] = (await once(sent, 'response').catch((error: unknown) => {
    throw new MediaError('UNAVAILABLE', false, error);
  })) as [IncomingMessage];
  const { statusCode = 500 } = response;
  if (statusCode === 200) return response;
  response.destroy();
  // A file that is not there will not be there in a minute either; any other failure may pass. Redirects are not followed.
  const isGone = [403, 404, 410].includes(statusCode);
  throw new MediaError(isGone ? 'GONE' : 'UNAVAILABLE', isGone);
}

async function* arriving(
  body: IncomingMessage,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
    // A file whose length the host does not say ends with its connection, also with one that we ended.
    signal.throwIfAborted();
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
  // The last bytes are no part of the file, and only its end shows which those are.
  let tail = Buffer.alloc(0);
  for await (const chunk of sealed) {
    outer.update(chunk);
    const bytes = Buffer.concat([tail, chunk]);
    const end = Math.max(0, bytes.length - MAC_BYTES);
    tail = bytes.subarray(end);
    mac.update(bytes.subarray(0, end));
    const plain = decipher.update(bytes.subarray(0, end));
    size += plain.length;
    if (size > maxBytes) throw new MediaError('TOO_LARGE', true);
    inner.update(plain);
    yield plain;
  }
  const isWhole = outer.digest().equals(file.encryptedSha256);
  const isSealed = mac.digest().subarray(0, MAC_BYTES).equals(tail);
  if (!isWhole || !isSealed) throw new MediaError('CORRUPT', true);
  const last = lastOf(() => decipher.final());
  inner.update(last);
  if (!inner.digest().equals(file.sha256)) throw new MediaError('CORRUPT', true);
  if (size + last.length > maxBytes) throw new MediaError('TOO_LARGE', true);
  yield last;
}

function lastOf(final: () => Buffer): Buffer {
  try {
    return final();
  } catch (error) {
    throw new MediaError('CORRUPT', true, error);
  }
}
