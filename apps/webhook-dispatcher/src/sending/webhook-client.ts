import { type AddressGuard, guardedConnector } from '@svc/addresses';
import { Agent, type buildConnector } from 'undici';
import type { Answer } from './answer.js';
import { Exchange, type ExchangeListener } from './exchange.js';

/** Connections beyond which none is kept for the next delivery; one to a quiet receiver costs some 38 KB. */
const KEPT_CONNECTIONS = 2048;
const MOST_TARGETS = 10_000;

/** What is posted. */
export interface Post {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Where a POST goes, as the client takes it. */
interface Target {
  origin: string;
  path: string;
}

/** Posts deliveries: never follows a redirect, never lets a receiver hold it longer than the time of one attempt. */
export class WebhookClient {
  private readonly agent: Agent;
  private readonly keptConnections: number;
  /** Connections that are open or about to be. */
  private connections = 0;
  /** Connections begun so far: a request that is dispatched and begins none goes over one that was kept. */
  private opened = 0;
  /** Addresses that were read, by their text. */
  private readonly targets = new Map<string, Target>();

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
  post(url: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    return new Promise((ended, failed) => this.send({ url, headers, body }, { ended, failed }));
  }

  /** As `post`; a promise for each of thousands a second would cost too much. */
  send({ url, headers, body }: Post, listener: ExchangeListener): void {
    const exchange = new Exchange(this.timeoutMs, listener);
    try {
      const { origin, path } = this.targetOf(url);
      const reset = this.connections >= this.keptConnections;
      const request = { origin, path, method: 'POST' as const, headers, body, reset };
      const { opened } = this;
      const send = (): unknown => this.agent.dispatch(request, exchange);
      send();
      if (this.opened === opened) exchange.resend = send;
    } catch (error) {
      exchange.onResponseError(undefined, error);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** @throws TypeError where it is no address. */
  private targetOf(url: string): Target {
    const known = this.targets.get(url);
    if (known) return known;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    if (this.targets.size >= MOST_TARGETS) this.targets.clear();
    this.targets.set(url, target);
    return target;
  }

  private counted(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      this.connections += 1;
      this.opened += 1;
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
