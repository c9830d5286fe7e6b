import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startTimeLimit } from '@svc/service';

const LIMIT_MS = 5_000;
/** The pages have some hundred kilobytes. */
const MOST_BYTES = 4_000_000;
/** The platform answers 400 to who does not look like a browser that opens a page. */
const HEADERS = {
  accept: '*/*',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};
/** In the service worker the name and its quotes stand within a string. */
const REVISION = /\\?"client_revision\\?"\s*:\s*(\d{1,15})\b/;
const BARE = /^\s*(\d{1,15})\s*$/;

/** Answer of one source: the revision that it names, or what is wrong with it. */
export type Reading = { source: string; revision: number } | { source: string; problem: string };

/** Names the two pages of a platform that tell the latest revision: they are where its WebSocket is. */
export function pagesOf(platformUrl: string): string[] {
  const { protocol, host } = new URL(platformUrl);
  const origin = `${protocol === 'wss:' ? 'https:' : 'http:'}//${host}`;
  return [`${origin}/sw.js`, `${origin}/`];
}

/** Reads all sources side by side: web pages, or files of a network that reaches none. */
export function readSources(sources: readonly string[]): Promise<Reading[]> {
  return Promise.all(sources.map((source) => readSource(source)));
}

async function readSource(source: string): Promise<Reading> {
  const limit = startTimeLimit(LIMIT_MS);
  try {
    const text = await (source.startsWith('file:') ? fileText(source) : pageText(source, limit.signal));
    const revision = (REVISION.exec(text) ?? BARE.exec(text))?.[1];
    return revision === undefined
      ? { source, problem: 'it names no revision' }
      : { source, revision: Number(revision) };
  } catch (error) {
    const problem = limit.signal.aborted ? `no answer within ${LIMIT_MS} ms` : (error as Error).message;
    return { source, problem };
  } finally {
    limit.clear();
  }
}

/** Reads a page as far as is bearable; it is not followed elsewhere. */
async function pageText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { headers: HEADERS, redirect: 'manual', signal });
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.ok && response.body ? response.body : []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
  }
  if (response.ok) return Buffer.concat(parts).toString('utf8');
  await response.body?.cancel();
  throw new Error(`HTTP ${response.status}`);
}

async function fileText(url: string): Promise<string> {
  const file = await open(fileURLToPath(url));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
