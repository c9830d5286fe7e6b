import type { ConnectOpts } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressGuard, notAllowed } from '../addresses/address-guard.js';
import { type Connection, ON_READ } from './connection.js';
import { ConnectionPool, type Connector, type Origin } from './connection-pool.js';
import { type Answer, Exchange, type ExchangeListener, type PostLimits } from './exchange.js';

const CONNECT_MS = 3_000;
/** Connections beyond which none stays for the next POST; one to a quiet receiver costs some 6 KB, with TLS some 65. */
const MAX_CONNECTIONS = 2048;
const MAX_TARGETS = 10_000;

/** Destination of a POST. */
interface Target extends Origin {
  /** Head of a POST as far as it is always the same. */
  head: string;
}

/**
 * The client posts to hosts that tenants name, over HTTP/1.1 of its own (ADR 30): each connection passes the address guard, no redirect is
 * followed, and no host holds it longer, or has it read more, than the limits of a POST.
 */
export class OutboundHttp {
  private readonly pool: ConnectionPool;
  /** Addresses that were read, by their text. */
  private readonly targets = new Map<string, Target>();

  constructor(guard: AddressGuard, { maxConnections = MAX_CONNECTIONS }: { maxConnections?: number } = {}) {
    this.pool = new ConnectionPool(guardedConnector(guard, { onread: ON_READ }), maxConnections);
  }

  /**
   * @param headers names and values as they go out: tokens, and printable ASCII (`IsHeaders` for those of tenants).
   * @throws Error where the fault is this machine's: nothing was sent, so it is no attempt.
   */
  post(url: string, headers: Record<string, string>, body: Buffer, limits: PostLimits): Promise<Answer> {
    return new Promise((onAnswer, onError) => this.send(url, headers, body, limits, { onAnswer, onError }));
  }

  /** Posts as `post` does; a promise for each of thousands a second would cost too much. */
  send(
    url: string,
    headers: Record<string, string>,
    body: Buffer,
    limits: PostLimits,
    listener: ExchangeListener,
  ): void {
    const exchange = new Exchange(limits, listener);
    try {
      const target = this.targetOf(url);
      const request = requestOf(target, headers, body);
      const idle = this.pool.take(target.origin);
      const open = (): void => this.open(target, request, exchange);
      if (!idle) return open();
      exchange.resend = open;
      idle.post(request, exchange);
    } catch (error) {
      exchange.fail(error, false);
    }
  }

  close(): void {
    this.pool.close();
  }

  private open(target: Target, request: Buffer, exchange: Exchange): void {
    try {
      this.pool.open(target, (error, connection?: Connection) => {
        if (!connection) exchange.fail(error, false);
        // The connection may have used all of the time to open.
        else if (exchange.isFinished) this.pool.release(connection, undefined);
        else connection.post(request, exchange);
      });
    } catch (error) {
      exchange.fail(error, false);
    }
  }

  /** @throws TypeError where it is no address. */
  private targetOf(url: string): Target {
    const cached = this.targets.get(url);
    if (cached) return cached;
    const target = readTarget(url);
    if (this.targets.size >= MAX_TARGETS) this.targets.clear();
    this.targets.set(url, target);
    return target;
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

/** Writes a request in one piece: each further one is a call of the system, or a list for it. */
function requestOf({ head }: Target, headers: Record<string, string>, body: Buffer): Buffer {
  let text = `${head}Content-Length: ${body.length}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  text += '\r\n';
  const request = Buffer.allocUnsafe(text.length + body.length);
  request.write(text, 'latin1');
  request.set(body, text.length);
  return request;
}

/**
 * Makes the connector that opens every new socket to an address of a tenant: it refuses literals before connecting, names by all their
 * answers, and looks at the peer of the finished socket once more. It fails closed.
 * @param options of every socket.
 */
export function guardedConnector(guard: AddressGuard, options: ConnectOpts = {}): Connector {
  const each = { ...options, timeout: CONNECT_MS } as buildConnector.BuildOptions;
  const free = buildConnector(each);
  const guarded = buildConnector({ ...each, lookup: guard.lookup } as buildConnector.BuildOptions);
  return (target, callback) => {
    const { protocol, hostname, port } = target;
    const host = hostname.includes(':') ? `[${hostname}]` : hostname;
    const origin = `${protocol}//${host}${port ? `:${port}` : ''}`;
    if (!URL.canParse(origin)) return callback(notAllowed(), null);
    if (guard.isAllowed(new URL(origin))) return free(target, callback);
    if (guard.isForbiddenHost(hostname)) return callback(notAllowed(), null);
    guarded(target, (...result) => {
      const [error, socket] = result;
      if (error || !socket) return callback(error ?? notAllowed(), null);
      if (guard.mayReach(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(notAllowed(), null);
    });
  };
}
