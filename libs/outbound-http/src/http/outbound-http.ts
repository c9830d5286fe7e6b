import type { AddressGuard } from '../addresses/address-guard.js';
import { guardedConnector } from '../addresses/guarded-connector.js';
import type { Answer } from './answer.js';
import type { Connection } from './connection.js';
import { Connections, type Host, ON_READ } from './connections.js';
import { Exchange, type ExchangeListener } from './exchange.js';

/** Connections beyond which none is kept for the next delivery; one to a quiet receiver costs some 6 KB, with TLS some 65. */
const KEPT_CONNECTIONS = 2048;
const MOST_TARGETS = 10_000;

/** What is posted. */
export interface Post {
  url: string;
  /** Names and values as they go out: tokens, and printable ASCII (`IsWebhookHeaders` for those of tenants). */
  headers: Record<string, string>;
  body: Buffer;
}

/** Where a POST goes. */
interface Target extends Host {
  /** Its head as far as it is always the same. */
  head: string;
}

/** Posts deliveries: never follows a redirect, never lets a receiver hold it longer than the time of one attempt. */
export class WebhookClient {
  private readonly connections: Connections;
  /** Addresses that were read, by their text. */
  private readonly targets = new Map<string, Target>();

  constructor(
    guard: AddressGuard,
    private readonly timeoutMs: number,
    { keptConnections = KEPT_CONNECTIONS }: { keptConnections?: number } = {},
  ) {
    this.connections = new Connections(guardedConnector(guard, { onread: ON_READ }), keptConnections);
  }

  /** @throws Error where the fault is this machine's: nothing was sent, so it is no attempt. */
  post(post: Post): Promise<Answer> {
    return new Promise((ended, failed) => this.send(post, { ended, failed }));
  }

  /** As `post`; a promise for each of thousands a second would cost too much. */
  send({ url, headers, body }: Post, listener: ExchangeListener): void {
    const exchange = new Exchange(this.timeoutMs, listener);
    try {
      const target = this.targetOf(url);
      const request = requestOf(target, headers, body);
      const kept = this.connections.take(target.origin);
      const open = (): void => this.open(target, request, exchange);
      if (!kept) return open();
      exchange.resend = open;
      kept.post(request, exchange);
    } catch (error) {
      exchange.broke(error, false);
    }
  }

  close(): void {
    this.connections.close();
  }

  private open(target: Target, request: Buffer, exchange: Exchange): void {
    try {
      this.connections.open(target, (error, connection?: Connection) => {
        if (!connection) exchange.broke(error, false);
        // Opening it may have taken all the time there was.
        else if (exchange.isOver) this.connections.freed(connection, undefined);
        else connection.post(request, exchange);
      });
    } catch (error) {
      exchange.broke(error, false);
    }
  }

  /** @throws TypeError where it is no address. */
  private targetOf(url: string): Target {
    const known = this.targets.get(url);
    if (known) return known;
    const made = readTarget(url);
    if (this.targets.size >= MOST_TARGETS) this.targets.clear();
    this.targets.set(url, made);
    return made;
  }
}

function readTarget(url: string): Target {
  const { origin, protocol, host, hostname, port, pathname, search } = new URL(url);
  return {
    origin,
    target: { protocol, host, port, hostname: hostname.replace(/^\[(.*)\]$/, '$1') },
    head: `POST ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`,
  };
}

/** In one piece: each further one is a call of the system, or a list for it. */
function requestOf({ head }: Target, headers: Record<string, string>, body: Buffer): Buffer {
  let text = `${head}Content-Length: ${body.length}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  text += '\r\n';
  const request = Buffer.allocUnsafe(text.length + body.length);
  request.write(text, 'latin1');
  request.set(body, text.length);
  return request;
}
