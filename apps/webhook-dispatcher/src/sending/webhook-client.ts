import { type AddressGuard, guardedConnector } from '@svc/addresses';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { type Answer, isOurFault, statusError, transportError } from './answer.js';

/** Bytes of an answer kept for the log, and read at all before the socket is given up. */
const HEAD_BYTES = 4 * 1024;
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 250;
/** Connections beyond which none is kept for the next delivery; one to a quiet receiver costs some 38 KB. */
const KEPT_CONNECTIONS = 2048;

/** Posts deliveries: never follows a redirect, never lets a receiver hold it longer than the time of one attempt. */
export class WebhookClient {
  private readonly agent: Agent;
  private readonly keptConnections: number;
  /** Connections that are open or about to be. */
  private connections = 0;

  constructor(
    guard: AddressGuard,
    private readonly timeoutMs: number,
    options: { keptConnections?: number } = {},
  ) {
    this.keptConnections = options.keptConnections ?? KEPT_CONNECTIONS;
    this.agent = new Agent({
      connect: this.counted(guardedConnector(guard)),
      // One request at a time on a connection, and no bound on connections per host: whom to send to how often at once
      // is decided per endpoint before, and endpoints of many tenants share a host. Nothing ever queues in here.
      pipelining: 1,
      keepAliveTimeout: 15_000,
      keepAliveMaxTimeout: 300_000,
      // One deadline for the whole attempt instead: these alone would let a dripping body run on.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** @throws Error where the fault is this machine's: nothing was sent, so it is no attempt. */
  async post(url: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    const startedAt = performance.now();
    const deadline = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    // The signal alone is not enough: a request whose connection is still being made does not listen to it.
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        deadline.abort();
        reject(deadline.signal.reason as Error);
      }, this.timeoutMs);
    });
    const answer = (status: number | null, error: string | null, head: Buffer = Buffer.alloc(0)): Answer => {
      return { status, error, head, durationMs: Math.round(performance.now() - startedAt) };
    };
    try {
      const { origin, pathname, search } = new URL(url);
      const options = { origin, path: pathname + search, method: 'POST' as const, headers, body };
      const reset = this.connections >= this.keptConnections;
      const request = this.agent.request({ ...options, reset, signal: deadline.signal });
      const response = await Promise.race([request, over]);
      const head = await readHead(response.body);
      return answer(response.statusCode, statusError(response.statusCode), head);
    } catch (error) {
      if (deadline.signal.aborted) return answer(null, 'TIMEOUT');
      if (isOurFault(error)) throw error;
      return answer(null, transportError(error));
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private counted(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      this.connections += 1;
      const gone = (): void => void (this.connections -= 1);
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error) gone();
        else socket.once('close', gone);
        callback(...result);
      });
    };
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
