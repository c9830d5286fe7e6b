import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { type Readable, Transform } from 'node:stream';
import { type AddressGuard, DESTINATION_NOT_ALLOWED, guardedConnector, NOT_ALLOWED } from '@svc/outbound-http';
import { Agent } from 'undici';
import type { ProxyRoute } from '../platform/proxy.js';
import { FileError } from './send-failure.js';

const MOST_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Refusals that another try may not meet. */
const PASSING = [408, 425, 429];
const LONGEST_TYPE = 100;
const HEADERS = { 'user-agent': 'Svc-Media/1', accept: '*/*' };

/** A file that is being fetched; `mimeType` as its server says, where that says anything. */
export interface FetchedFile {
  stream: Readable;
  mimeType: string | undefined;
}

/** What a server answers. */
interface Answer {
  statusCode: number;
  headers: http.IncomingHttpHeaders;
  body: Readable;
}

/** By which way, and until when. */
interface Journey {
  signal: AbortSignal;
  /** The proxy of the session; absent: straight. */
  route?: ProxyRoute;
}

/** Fetches files from addresses that tenants name; each of them, also after a redirect, passes the address guard. */
export class FileFetcher {
  private readonly agent: Agent;

  constructor(private readonly guard: AddressGuard) {
    // One limit for the whole fetch instead, the signal: these alone would let a dripping body run on.
    this.agent = new Agent({ connect: guardedConnector(guard), headersTimeout: 0, bodyTimeout: 0 });
  }

  /**
   * The file, as it comes in; its stream fails as this does.
   * @throws FileError
   */
  async fetch(url: string, maxBytes: number, journey: Journey): Promise<FetchedFile> {
    try {
      const { headers, body } = await this.answer(url, journey, MOST_REDIRECTS);
      const stream = bounded(body, maxBytes);
      if (Number(headers['content-length']) > maxBytes) stream.destroy(tooLarge(maxBytes));
      return { stream, mimeType: typeIn(headers['content-type']) };
    } catch (error) {
      throw asFileError(error);
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.agent.destroy();
  }

  private async answer(url: string, journey: Journey, redirects: number): Promise<Answer> {
    const problem = await this.guard.problemWith(url);
    if (problem) throw new FileError('MEDIA_UNAVAILABLE', problem, true);
    const { signal, route } = journey;
    const answer = await (route ? throughProxy(url, route, signal) : this.straight(url, signal));
    const { statusCode, headers, body } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    body.on('error', () => undefined).destroy();
    const { location } = headers;
    if (REDIRECTS.includes(statusCode) && redirects > 0 && location && URL.canParse(location, url))
      return this.answer(new URL(location, url).href, journey, redirects - 1);
    const final = statusCode < 500 && !PASSING.includes(statusCode);
    throw new FileError('MEDIA_UNAVAILABLE', `HTTP ${statusCode}`, final);
  }

  private straight(url: string, signal: AbortSignal): Promise<Answer> {
    const { origin, pathname, search } = new URL(url);
    return this.agent.request({ origin, path: pathname + search, method: 'GET', signal, headers: HEADERS });
  }
}

/** The proxy resolves the name and connects; from where it stands, our own network is not near. */
async function throughProxy(url: string, route: ProxyRoute, signal: AbortSignal): Promise<Answer> {
  const { request } = url.startsWith('https:') ? https : http;
  const sent = request(url, { agent: route.agent, signal, headers: HEADERS }).end();
  try {
    const [body] = (await once(sent, 'response')) as [http.IncomingMessage];
    if (!route.failed()) return { statusCode: body.statusCode ?? 500, headers: body.headers, body };
    body.destroy(); // the proxy's own words
  } catch (error) {
    if (!route.failed()) throw error;
  }
  throw new FileError('MEDIA_UNAVAILABLE', 'the proxy of the session does not let us through', false);
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
  // Whoever reads it hears of it, too.
  counted.on('error', () => undefined);
  return body.pipe(counted);
}

function typeIn(header: string | string[] | undefined): string | undefined {
  const type =
    String(header ?? '')
      .split(';')[0]
      ?.trim()
      .slice(0, LONGEST_TYPE) ?? '';
  return type.includes('/') && type !== 'application/octet-stream' ? type : undefined;
}

function tooLarge(maxBytes: number): FileError {
  return new FileError('MEDIA_REFUSED', `it is larger than ${maxBytes} bytes`, true);
}

/** Nothing is told of what lies behind an address. */
function asFileError(error: unknown): FileError {
  if (error instanceof FileError) return error;
  if ((error as { code?: unknown }).code === DESTINATION_NOT_ALLOWED)
    return new FileError('MEDIA_UNAVAILABLE', NOT_ALLOWED, true);
  return new FileError('MEDIA_UNAVAILABLE', 'no answer, or one that broke off', false);
}
