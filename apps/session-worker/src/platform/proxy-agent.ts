import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { Agent, type AgentConnectOpts } from 'agent-base';
import { openTunnel } from '@svc/outbound-http';
import { startTimeLimit, type TimeLimit } from '@svc/service';
import { SocksClient } from 'socks';

/** Longest wait for a proxy to open a tunnel, in ms; shorter than the limit of a login, so that the reason is reported. */
const TUNNEL_MS = 15_000;

/** Address of a proxy, and its protocol. */
export interface ProxyTarget {
  /** `http:`, `https:` or `socks5:`, with user and password; its host is an address. */
  url: URL;
  port: number;
  /** Name in the certificate of the proxy itself. */
  servername: string;
  /** Authority of the far side, as PEM; absent: those that Node trusts. */
  ca?: string;
}

/**
 * Connects requests by way of a proxy. What the proxy says is bounded in size and time, and its connections end with the attempt: a tenant
 * names the proxy, and what it holds on to would be held here.
 */
export class ProxyAgent extends Agent {
  private readonly attempts = new Set<TimeLimit>();
  private attemptFailed = false;

  constructor(private readonly proxy: ProxyTarget) {
    super();
  }

  /** Says whether the proxy refused the last connection, or has not opened it yet. */
  failed(): boolean {
    return this.attemptFailed;
  }

  /** Gives up the connections that the proxy has not opened yet. */
  abandon(): void {
    for (const attempt of this.attempts) attempt.abort(new Error('The attempt was given up.'));
  }

  /** Opens a connection for a request; the base class calls this. */
  override async connect(request: ClientRequest, options: AgentConnectOpts): Promise<Duplex> {
    this.attemptFailed = true;
    const socket = await this.openTunnelTo(options);
    this.attemptFailed = false;
    request.once('socket', () => socket.resume());
    if (!options.secureEndpoint) return socket;
    const { host, servername = host } = options as { host?: string; servername?: string };
    const { path: _path, port: _port, host: _host, ...tlsOptions } = options;
    const { ca } = this.proxy;
    return connectTls({
      ...{ ...tlsOptions, socket },
      ...(servername && !isIP(servername) ? { servername } : {}),
      ...(ca ? { ca } : {}),
    });
  }

  private async openTunnelTo({ host = '', port = 443 }: AgentConnectOpts): Promise<Socket> {
    const attempt = startTimeLimit(TUNNEL_MS);
    this.attempts.add(attempt);
    const { signal } = attempt;
    const socket = this.open();
    const destroy = (): void => void socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', destroy);
    // The caller that waits for the socket gets the error below.
    socket.on('error', () => undefined);
    try {
      await once(socket, this.proxy.url.protocol === 'https:' ? 'secureConnect' : 'connect', { signal });
      await this.ask(socket, { host, port: Number(port) }, signal);
      return socket;
    } catch (error) {
      socket.destroy();
      // Not the error itself: the platform's library reads the code of each as a text, and ends the process over a number, as a time limit has.
      throw new Error((error as Error).message, { cause: error });
    } finally {
      attempt.clear();
      signal.removeEventListener('abort', destroy);
      this.attempts.delete(attempt);
    }
  }

  private open(): Socket {
    const { url, port, servername } = this.proxy;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (url.protocol !== 'https:') return connectPlain({ host, port });
    return connectTls({ host, port, ...(isIP(servername) ? {} : { servername }) });
  }

  private async ask(socket: Socket, far: { host: string; port: number }, signal: AbortSignal): Promise<void> {
    const { url } = this.proxy;
    const [user, password] = [url.username, url.password].map(decodeURIComponent);
    if (url.protocol !== 'socks5:') {
      const authority = `${isIP(far.host) === 6 ? `[${far.host}]` : far.host}:${far.port}`;
      const basic = Buffer.from(`${user}:${password}`).toString('base64');
      return openTunnel(socket, authority, { signal, ...(user ? { authorization: `Basic ${basic}` } : {}) });
    }
    // The library would end the process because of a name whose length does not fit into a byte.
    if (Buffer.byteLength(far.host) > 255) throw new Error('SOCKS knows no name that long.');
    const { hostname: host } = url;
    const login = user ? { userId: user, password: password ?? '' } : {};
    // The proxy resolves the name of the far end, not we.
    await SocksClient.createConnection({
      ...{ proxy: { type: 5, host, port: this.proxy.port, ...login }, command: 'connect', destination: far },
      ...{ existing_socket: socket, timeout: TUNNEL_MS },
    });
  }
}
