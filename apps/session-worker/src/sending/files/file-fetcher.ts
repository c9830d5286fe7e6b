import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import {
  type AddressGuard,
  DESTINATION_NOT_ALLOWED,
  guardedConnector,
  NOT_ALLOWED,
} from '@svc/outbound-http';
import { MIME_TYPE } from '@svc/contracts';
import { isSpecific } from '@svc/media-store';
import type { ProxyRoute } from '../../platform/proxy.js';
import { FileError, tooLarge } from '../ledger/failures.js';

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Refusals that another try may not meet. */
const TRANSIENT = [408, 425, 429];
const LONGEST_NAME = 255;
const HEADERS = { 'user-agent': 'Svc-Media/1', accept: '*/*', 'accept-encoding': 'identity' };
/** Encodings that servers name and that encode nothing. */
const UNENCODED = new Set(['', 'identity', 'none', 'binary', 'utf-8']);
/** Encodings that a server may use though it was asked for none. */
const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A file that is being fetched; type and name as its server says, where that says anything. */
export interface FetchedFile {
  stream: Readable;
  mimeType: string | undefined;
  filename: string | undefined;
}

/** Answer of a server. */
interface Answer {
  statusCode: number;
  headers: http.IncomingHttpHeaders;
  body: Readable;
}

/** Route of a fetch, and its time limit. */
interface Journey {
  signal: AbortSignal;
  /** The proxy of the session; absent: straight. */
  route?: ProxyRoute;
}

/** Fetches files from addresses that tenants name; each of them, also after a redirect, passes the address guard. */
export class FileFetcher {
  private readonly connect: ReturnType<typeof guardedConnector>;

  constructor(private readonly guard: AddressGuard) {
    this.connect = guardedConnector(guard);
  }

  /**
   * Fetches a file, as it comes in; its stream fails as this does.
   * @throws FileError
   */
  async fetch(url: string, maxBytes: number, journey: Journey): Promise<FetchedFile> {
    try {
      const { headers, body, address } = await this.answer(url, journey, MAX_REDIRECTS);
      const stream = bounded(decode(body, headers['content-encoding']), maxBytes);
      if (Number(headers['content-length']) > maxBytes) stream.destroy(tooLarge(maxBytes));
      const filename = nameIn(headers['content-disposition']) ?? nameInPath(address);
      return { stream, mimeType: typeIn(headers['content-type']), filename };
    } catch (error) {
      throw asFileError(error);
    }
  }

  private async answer(
    url: string,
    journey: Journey,
    redirects: number,
  ): Promise<Answer & { address: string }> {
    const problem = await this.guard.problemWith(url);
    if (problem) throw new FileError('MEDIA_UNAVAILABLE', problem, true);
    const { signal, route } = journey;
    const answer = await (route ? viaProxy(url, route, signal) : this.straight(url, signal));
    const { statusCode, headers, body } = answer;
    if (statusCode >= 200 && statusCode < 300) return { ...answer, address: url };
    body.on('error', () => undefined).destroy();
    const { location } = headers;
    if (REDIRECTS.includes(statusCode) && location && URL.canParse(location, url)) {
      if (redirects > 0) return this.answer(new URL(location, url).href, journey, redirects - 1);
      throw new FileError('MEDIA_UNAVAILABLE', `more than ${MAX_REDIRECTS} redirects`, true);
    }
    const final = statusCode < 500 && !TRANSIENT.includes(statusCode);
    throw new FileError('MEDIA_UNAVAILABLE', `HTTP ${statusCode}`, final);
  }

  /** Asks over a connection of its own, which ends with the answer, or with the signal. */
  private async straight(url: string, signal: AbortSignal): Promise<Answer> {
    const { protocol, host, hostname, port } = new URL(url);
    const target = { protocol, host, port, hostname: hostname.replace(/^\[(.*)\]$/, '$1') };
    const createConnection: http.RequestOptions['createConnection'] = (_options, opened) => {
      this.connect(target, (error, socket) => opened(error, socket as Socket));
      return undefined;
    };
    return ask(url, { createConnection, signal });
  }
}

/** Asks by way of a proxy, which resolves the name and connects; our own network is not near to it. */
async function viaProxy(url: string, route: ProxyRoute, signal: AbortSignal): Promise<Answer> {
  try {
    const answer = await ask(url, { agent: route.agent, signal });
    if (!route.failed()) return answer;
    answer.body.destroy(); // the proxy's own words
  } catch (error) {
    if (!route.failed()) throw error;
  }
  throw new FileError('MEDIA_UNAVAILABLE', 'the proxy of the session does not let us through', false);
}

async function ask(url: string, way: http.RequestOptions): Promise<Answer> {
  const { request } = url.startsWith('https:') ? https : http;
  const sent = request(url, { ...way, headers: HEADERS }).end();
  sent.on('error', () => undefined);
  const [body] = (await once(sent, 'response')) as [http.IncomingMessage];
  return { statusCode: body.statusCode ?? 500, headers: body.headers, body };
}

function bounded(body: Readable, maxBytes: number): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  body.on('error', (error) => counted.destroy(asFileError(error)));
  counted.on('close', () => body.destroy());
  // The reader of the stream gets the error, too.
  counted.on('error', () => undefined);
  return body.pipe(counted);
}

/** Undoes what a server did to a body. @throws FileError where nobody here can. */
function decode(body: Readable, encoding: string | string[] | undefined): Readable {
  const name = String(encoding ?? 'identity')
    .trim()
    .toLowerCase();
  if (UNENCODED.has(name)) return body;
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (!decoder) {
    body.on('error', () => undefined).destroy();
    throw new FileError('MEDIA_REFUSED', 'its server encodes it in a way that is not known here', true);
  }
  body.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => body.destroy());
  return body.pipe(decoder);
}

/** Reads a media type, with its parameters: without `codecs=opus` some phones stay silent. */
function typeIn(header: string | string[] | undefined): string | undefined {
  const type = String(header ?? '').trim();
  return new RegExp(MIME_TYPE, 'u').test(type) && isSpecific(type) ? type : undefined;
}

/** Reads the name of a file from `Content-Disposition` (RFC 6266); the form that names its encoding is preferred. */
function nameIn(header: string | string[] | undefined): string | undefined {
  const text = String(header ?? '');
  const encoded = /filename\*\s*=\s*utf-8'[^']*'([^;]+)/i.exec(text)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(text);
  return cleanName(encoded === undefined ? (plain?.[1] ?? plain?.[2]) : unescaped(encoded));
}

/** Reads the name of a file from the last part of a path that looks like one. */
function nameInPath(url: string): string | undefined {
  const name = unescaped(new URL(url).pathname.split('/').at(-1) ?? '');
  return name.includes('.') ? cleanName(name) : undefined;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text;
  }
}

function cleanName(name: string | undefined): string | undefined {
  // Characters that turn the order of letters round go as well: a name must end as it reads.
  const clean = name
    ?.replace(/[\p{Cc}\p{Cf}/\\]/gu, '')
    .trim()
    .slice(0, LONGEST_NAME)
    .replace(/\p{Cs}/gu, '');
  return clean === '' ? undefined : clean;
}

/** Hides what lies behind an address. */
function asFileError(error: unknown): FileError {
  if (error instanceof FileError) return error;
  if ((error as { code?: unknown }).code === DESTINATION_NOT_ALLOWED)
    return new FileError('MEDIA_UNAVAILABLE', NOT_ALLOWED, true);
  return new FileError('MEDIA_UNAVAILABLE', 'no answer, or one that broke off', false);
}
