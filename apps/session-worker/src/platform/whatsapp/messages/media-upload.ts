import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { DEFAULT_ORIGIN, MEDIA_PATH_MAP, type WAMediaUploadFunction } from '@whiskeysockets/baileys';
import { isPlatformHost, type MediaHosts } from '../library/media-hosts.js';

/** A media host that takes nothing more for that long is given up. */
const IDLE_MS = 20_000;
/** Most bytes of its answer, which says where the file lies. */
const MOST_ANSWER = 64 * 1024;
const MOST_REDIRECTS = 3;

/** Way by which a file is uploaded, and the signal that ends it. */
export interface UploadWay {
  /** WebSocket of the platform. */
  platformUrl: string;
  mediaHosts: MediaHosts;
  /** Leads through the session's proxy; absent: straight. */
  agent?: Agent | undefined;
  /** Ends the upload, and its connection with it. */
  signal: AbortSignal;
}

/** Answer of the media host for a file that it has taken. */
interface UploadAnswer {
  url?: string;
  direct_path?: string;
}

/**
 * Makes the function by which the library uploads. Its own one cannot be ended: a proxy that says a byte now and then, or a host
 * that breaks off within its answer, would keep the connection and the file for good.
 */
export function uploadBy(way: UploadWay): WAMediaUploadFunction {
  return async (path, { mediaType, fileEncSha256B64 }) => {
    const { auth, hosts } = await way.mediaHosts.get();
    const token = Buffer.from(fileEncSha256B64, 'base64').toString('base64url');
    const query = new URLSearchParams({ auth, token }).toString();
    let failure: unknown = new Error('The platform names no host for files.');
    for (const hostname of hosts) {
      way.signal.throwIfAborted();
      try {
        const url = new URL(`https://${hostname}${MEDIA_PATH_MAP[mediaType]}/${token}?${query}`);
        const { url: mediaUrl = '', direct_path: directPath = '' } = await upload(url, path, way);
        return { mediaUrl, directPath };
      } catch (error) {
        failure = error;
      }
    }
    // The `auth` that let us in may have run out: the next try asks anew.
    if (!way.signal.aborted) way.mediaHosts.forget();
    throw failure;
  };
}

async function upload(
  url: URL,
  path: string,
  way: UploadWay,
  redirects = MOST_REDIRECTS,
): Promise<UploadAnswer> {
  const { size } = await stat(path);
  const type = 'application/octet-stream';
  const headers = { 'content-type': type, 'content-length': size, origin: DEFAULT_ORIGIN };
  const { agent, signal } = way;
  const sent = request(url, {
    method: 'POST',
    signal,
    headers,
    timeout: IDLE_MS,
    ...(agent ? { agent } : {}),
  });
  sent.on('error', () => undefined).on('timeout', () => sent.destroy(new Error('Nothing moves.')));
  // The answer says whether all of the file went out, and may come before that.
  const sending = pipeline(createReadStream(path), sent).catch(() => undefined);
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const text = await textOf(answer);
    const { statusCode = 500 } = answer;
    const next = statusCode >= 300 && statusCode < 400 ? answer.headers.location : undefined;
    if (next === undefined) return uploadedIn(text, statusCode);
    url = new URL(next, url);
  } finally {
    // The connection of one that is done is its agent's again, and stays.
    sent.destroy();
    await sending;
  }
  if (redirects === 0 || url.protocol !== 'https:' || !isPlatformHost(url.hostname, way.platformUrl))
    throw new Error('The media host sends elsewhere.');
  return upload(url, path, way, redirects - 1);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1');
    if (text.length > MOST_ANSWER) throw new Error('The media host says too much.');
  }
  return text;
}

function uploadedIn(text: string, status: number): UploadAnswer {
  const { url, direct_path } = JSON.parse(text) as UploadAnswer;
  const isTaken = status >= 200 && status < 300 && typeof (url ?? direct_path) === 'string';
  if (isTaken) return { url, direct_path } as UploadAnswer;
  throw new Error(`The media host answered ${status}.`);
}
