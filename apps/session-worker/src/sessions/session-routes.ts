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
  /** True where its platform is the simulator of the sandbox. */
  isSandbox?: boolean;
}

/** Finds the platform that the connections of a session go to, and the way there. */
@Injectable()
export class SessionRoutes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly proxies: Proxies,
    private readonly config: WorkerConfig,
  ) {}

  /**
   * Finds the route of a session: its proxy where it has one; to the sandbox, which is next door, always the direct one.
   * @throws ProxyError
   * @throws AppError `SANDBOX_UNAVAILABLE`
   */
  async of(sessionId: string): Promise<SessionRoute> {
    const session = await this.dataSource.getRepository(Session).findOneBy({ id: sessionId });
    if (session?.sandbox) return this.toSandbox();
    const { platformUrl: url, platformTrustRoot: trustRoot } = this.config;
    const live = { url, ...(trustRoot ? { trustRoot } : {}) };
    if (!session?.proxy) return live;
    const address = this.vault.open(proxyRow(sessionId), session.proxy);
    return { ...live, proxy: await this.proxies.makeRoute(address.toString()) };
  }

  /** @throws AppError `SANDBOX_UNAVAILABLE` */
  toSandbox(): SessionRoute {
    const { sandboxPlatformUrl: url, sandboxPlatformTrustRoot: trustRoot } = this.config;
    if (!url || !trustRoot) throw new AppError('SANDBOX_UNAVAILABLE');
    return { url, trustRoot, isSandbox: true };
  }
}
