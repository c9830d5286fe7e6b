import { Agent } from 'node:https';
import { Injectable } from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { DataSource } from 'typeorm';
import { WorkerConfig } from '../config.js';
import { proxyRow, Vault } from '../credentials/vault.js';
import { Proxies, type ProxyRoute } from '../platform/proxy.js';
import { Session } from './session.entity.js';

/** Destination of the connections of a session, and their route. */
export interface SessionRoute {
  /** WebSocket of its platform. */
  url: string;
  /** Key in hex; without it, the library's own holds. */
  trustRoot?: string;
  proxy?: ProxyRoute;
  /** Way of TLS connections: through the proxy, or with trust in the authority of this platform alone; absent: straight. */
  agent?: Agent;
  /** True where its platform is the simulator of the sandbox. */
  isSandbox?: boolean;
}

/** Finds the platform that the connections of a session go to, and the way there. */
@Injectable()
export class SessionRoutes {
  private readonly live: SessionRoute;
  private readonly sandbox: SessionRoute | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly proxies: Proxies,
    private readonly config: WorkerConfig,
  ) {
    const { platformUrl, platformTrustRoot, platformCa } = config;
    this.live = { url: platformUrl, ...trusting(platformTrustRoot, platformCa) };
    const { sandboxPlatformUrl: url, sandboxPlatformTrustRoot, sandboxPlatformCa } = config;
    if (url && sandboxPlatformTrustRoot)
      this.sandbox = { url, isSandbox: true, ...trusting(sandboxPlatformTrustRoot, sandboxPlatformCa) };
  }

  /**
   * Finds the route of a session: its proxy where it has one; to the sandbox, which is next door, always the direct one.
   * @throws ProxyError
   * @throws AppError `SANDBOX_UNAVAILABLE`
   */
  async of(sessionId: string): Promise<SessionRoute> {
    const session = await this.dataSource.getRepository(Session).findOneBy({ id: sessionId });
    if (session?.sandbox) return this.toSandbox();
    if (!session?.proxy) return this.live;
    const address = this.vault.open(proxyRow(sessionId), session.proxy);
    const proxy = await this.proxies.makeRoute(address.toString(), this.config.platformCa);
    return { ...this.live, proxy, agent: proxy.agent };
  }

  /** @throws AppError `SANDBOX_UNAVAILABLE` */
  toSandbox(): SessionRoute {
    if (!this.sandbox) throw new AppError('SANDBOX_UNAVAILABLE');
    return this.sandbox;
  }
}

function trusting(trustRoot: string | undefined, ca: string | undefined): Partial<SessionRoute> {
  return { ...(trustRoot ? { trustRoot } : {}), ...(ca ? { agent: new Agent({ ca }) } : {}) };
}
