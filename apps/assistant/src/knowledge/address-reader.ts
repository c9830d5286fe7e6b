import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AddressGuard, DESTINATION_NOT_ALLOWED, guardedConnector } from '@svc/outbound-http';
import { startTimeLimit } from '@svc/service';
import { Agent, fetch, type Response } from 'undici';
import { textOfHtml, tidy } from '../files/html.js';

const TIME_MS = 15_000;
const BYTES_MAX = 2_000_000;
const REDIRECTS_MAX = 3;
const HTML = ['text/html', 'application/xhtml+xml'];
const PLAIN = ['text/plain', 'text/markdown', 'text/csv'];

/** Marks of what was read before, with which a server says that nothing has changed. */
export interface Marks {
  etag: string | null;
  lastModified: string | null;
}

/** Text of a page, with its marks. */
export interface Read extends Marks {
  text: string;
}

/** An address that could not be read. The code is all that is told: no text of the server. */
export class ReadFailure extends Error {
  constructor(readonly code: string) {
    super(`The address was not read: ${code}`);
  }
}

/** This service reads pages at addresses of strangers: through the address guard, in bounded time, of bounded size. */
@Injectable()
export class AddressReader implements OnApplicationShutdown {
  private readonly dispatcher: Agent;

  constructor(private readonly guard: AddressGuard) {
    this.dispatcher = new Agent({ connect: guardedConnector(guard) });
  }

  /** @returns undefined where the page is as it was. @throws ReadFailure */
  async read(url: string, marks: Marks, stopping?: AbortSignal): Promise<Read | undefined> {
    const limit = startTimeLimit(TIME_MS, stopping);
    try {
      return await this.follow(url, marks, limit.signal);
    } catch (error) {
      if (error instanceof ReadFailure) throw error;
      throw new ReadFailure(limit.signal.aborted ? 'TIMEOUT' : codeOf(error));
    } finally {
      limit.clear();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dispatcher.destroy();
  }

  private async follow(url: string, marks: Marks, signal: AbortSignal): Promise<Read | undefined> {
    let at = url;
    for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
      if (await this.guard.problemWith(at)) throw new ReadFailure(DESTINATION_NOT_ALLOWED);
      const { dispatcher } = this;
      const response = await fetch(at, { dispatcher, signal, redirect: 'manual', headers: headersOf(marks) });
      const next = response.headers.get('location');
      const isMoved =
        response.status >= 301 && response.status <= 308 && response.status !== 304 && next !== null;
      if (!isMoved) return contentOf(response);
      await response.body?.cancel();
      if (!URL.canParse(next, at)) throw new ReadFailure('BAD_REDIRECT');
      at = new URL(next, at).href;
    }
    throw new ReadFailure('TOO_MANY_REDIRECTS');
  }
}

function headersOf({ etag, lastModified }: Marks): Record<string, string> {
  return {
    ...{ 'user-agent': 'svc', accept: 'text/html, text/plain;q=0.9' },
    ...(etag ? { 'if-none-match': etag } : {}),
    ...(lastModified ? { 'if-modified-since': lastModified } : {}),
  };
}

async function contentOf(response: Response): Promise<Read | undefined> {
  const { status, headers } = response;
  const [type = '', parameters = ''] = (headers.get('content-type') ?? '').toLowerCase().split(/;(.*)/s);
  const kind = type.trim();
  if (status === 200 && [...HTML, ...PLAIN].includes(kind)) return readOf(response, kind, parameters);
  await response.body?.cancel();
  if (status === 304) return undefined;
  throw new ReadFailure(status === 200 ? 'NO_TEXT' : `HTTP_${status}`);
}

async function readOf(response: Response, kind: string, parameters: string): Promise<Read> {
  const { headers } = response;
  const whole = decode(await bytesOf(response), /charset="?([\w-]+)/.exec(parameters)?.[1]);
  const text = HTML.includes(kind) ? textOfHtml(whole) : tidy(whole);
  if (text === '') throw new ReadFailure('EMPTY');
  return { text, etag: markOf(headers.get('etag')), lastModified: markOf(headers.get('last-modified')) };
}

async function bytesOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > BYTES_MAX) throw new ReadFailure('TOO_LARGE');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** A mark is sent back as it came; one that is longer than marks are is none. */
const markOf = (value: string | null): string | null => (value && value.length <= 200 ? value : null);

/** Names what the line says; an address that a name stands for is not told. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  const code = cause?.code ?? (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'CONNECTION_FAILED';
}
