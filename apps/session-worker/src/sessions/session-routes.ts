import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Vault } from '../credentials/vault.js';
import { Proxies, type ProxyRoute } from '../platform/proxy.js';
import { Session } from './session.entity.js';

/** Which way the connections of a session go. */
@Injectable()
export class SessionRoutes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly vault: Vault,
    private readonly proxies: Proxies,
  ) {}

  /**
   * A way through the session's proxy; undefined when it has none and connects by itself.
   * @throws ProxyError
   */
  async of(sessionId: string): Promise<ProxyRoute | undefined> {
    const session = await this.dataSource.getRepository(Session).findOneBy({ id: sessionId });
    if (!session?.proxy) return undefined;
    const address = this.vault.open({ sessionId, table: 'session', row: 'proxy' }, session.proxy);
    return this.proxies.routeThrough(address.toString());
  }
}
