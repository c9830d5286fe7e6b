import type { Agent } from 'node:https';
import { isIP } from 'node:net';
import { type AddressGuard, NOT_ALLOWED } from '@svc/outbound-http';
import { ProxyAgent } from './proxy-agent.js';

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };
/** SOCKS says how long a name is in one byte (RFC 1928, 1929). */
const MOST_BYTES = 255;
const FORM = 'proxy must be http://, https:// or socks5://, with a host, and nothing behind the port';

/** Route to the platform by way of a proxy. */
export interface ProxyRoute {
  agent: Agent;
  /** Says whether the proxy is what refuses our connections. */
  failed(): boolean;
  /** Gives up the connections that the proxy has not opened. */
  abandon(): void;
}

/** Error of a proxy that cannot be used; the message holds nothing of its address. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/** Makes the routes of sessions by way of their tenants' proxies, and never into our own network. */
export class Proxies {
  constructor(private readonly guard: AddressGuard) {}

  /** Names the rule that an address breaks, in a sentence for the tenant; undefined when it may be saved. */
  problemWith(text: string): string | undefined {
    const proxy = parse(text);
    if (!proxy) return FORM;
    return this.isForbidden(proxy) ? `proxy: ${NOT_ALLOWED}` : undefined;
  }

  /**
   * Makes the route by way of this proxy. Its name is resolved once, here, and what it resolves to is what is connected to.
   * @param ca of the far side, as PEM; absent: the authorities that Node trusts.
   * @throws ProxyError
   */
  async makeRoute(text: string, ca?: string): Promise<ProxyRoute> {
    const proxy = parse(text);
    if (!proxy || this.isForbidden(proxy)) throw new ProxyError(NOT_ALLOWED);
    const { hostname } = proxy.origin;
    const bare = hostname.replace(/^\[|\]$/g, '');
    const address = isIP(bare) ? bare : await this.resolve(proxy);
    proxy.url.hostname = address.includes(':') ? `[${address}]` : address;
    const agent = new ProxyAgent({
      url: proxy.url,
      port: proxy.port,
      servername: bare,
      ...(ca ? { ca } : {}),
    });
    return {
      // The agent serves both kinds of requests, which its type does not say.
      agent: agent as unknown as Agent,
      failed: () => agent.failed(),
      abandon: () => agent.abandon(),
    };
  }

  private isForbidden({ origin, port }: Proxy): boolean {
    if (this.guard.isAllowed(origin)) return false;
    return (port < 1024 && port !== 80 && port !== 443) || this.guard.isForbiddenHost(origin.hostname);
  }

  private resolve({ origin }: Proxy): Promise<string> {
    return new Promise((resolve, reject) => {
      this.guard.lookup(origin.hostname, { all: false }, (error, address) => {
        if (error || typeof address !== 'string') reject(new ProxyError('The proxy does not resolve.'));
        else resolve(address);
      });
    });
  }
}

/** Writes the part of an address that tenants and logs may see: neither user nor password. */
export function withoutCredentials(text: string): string {
  const proxy = parse(text);
  return proxy ? `${proxy.url.protocol}//${proxy.origin.hostname}:${proxy.port}` : '';
}

interface Proxy {
  url: URL;
  /** Host and port as the parser writes them for the web, where every spelling of an address becomes the same. */
  origin: URL;
  port: number;
}

function parse(text: string): Proxy | undefined {
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const usual = DEFAULT_PORTS[url.protocol];
  const isBare = /^\/?$/.test(url.pathname + url.search + url.hash);
  if (!usual || !isBare || ![url.username, url.password].every(isDecodable)) return undefined;
  const port = Number(url.port || usual);
  const origin = `http://${url.hostname}:${port}`;
  return port > 0 && URL.canParse(origin) ? { url, origin: new URL(origin), port } : undefined;
}

function isDecodable(text: string): boolean {
  try {
    return Buffer.byteLength(decodeURIComponent(text)) <= MOST_BYTES;
  } catch {
    return false;
  }
}
