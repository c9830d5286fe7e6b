import { Agent, type Dispatcher } from 'undici';
import type { AddressGuard } from '../addresses/address-guard.js';
import { guardedConnector } from '../addresses/guarded-connector.js';
import { type Answer, statusError, transportError } from './answer.js';

/** Bytes of an answer kept for the log, and read at all before the socket is given up. */
const HEAD_BYTES = 4 * 1024;
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 250;

/** Posts deliveries: never follows a redirect, never lets a receiver hold it longer than the time of one attempt. */
export class WebhookClient {
  private readonly agent: Agent;

  constructor(
    guard: AddressGuard,
    private readonly timeoutMs: number,
  ) {
    this.agent = new Agent({
      connect: guardedConnector(guard),
      pipelining: 1,
      connections: 8,
      keepAliveTimeout: 15_000,
      keepAliveMaxTimeout: 300_000,
      // One deadline for the whole attempt instead: these alone would let a dripping body run on.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async post(url: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    const startedAt = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.timeoutMs);
    const answer = (status: number | null, error: string | null, head: Buffer = Buffer.alloc(0)): Answer => {
      return { status, error, head, durationMs: Math.round(performance.now() - startedAt) };
    };
    try {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: pathname + search, method: 'POST' as const, headers, body };
      const response = await this.agent.request({ ...options, signal: deadline.signal });
      const head = await readHead(response.body);
      return answer(response.statusCode, statusError(response.statusCode), head);
    } catch (error) {
      return answer(null, deadline.signal.aborted ? 'TIMEOUT' : transportError(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/**
 * The status decides, so whatever the body does afterwards changes nothing: a little is kept, a little more is drained
 * to keep the socket, the rest is not worth it.
 */
function readHead(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  return new Promise((resolve) => {
    const kept: Buffer[] = [];
    let keptBytes = 0;
    let seen = 0;
    const timer = setTimeout(() => body.destroy(), DRAIN_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(kept));
    };
    body.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (keptBytes < HEAD_BYTES) {
        // Copied: a slice would keep the whole chunk alive as long as the result waits for its commit.
        const part = Buffer.from(chunk.subarray(0, HEAD_BYTES - keptBytes));
        kept.push(part);
        keptBytes += part.length;
      }
      if (seen > DRAIN_BYTES) body.destroy();
    });
    body.on('error', done);
    body.on('close', done);
    body.on('end', done);
  });
}
