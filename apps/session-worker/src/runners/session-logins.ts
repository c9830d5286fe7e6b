import { Injectable } from '@nestjs/common';
import { FairPlaces } from '@svc/service';
import { WorkerConfig } from '../config.js';
import {
  type Credentials,
  Platform,
  type PlatformListener,
  type PlatformSocket,
  type PlatformStore,
} from '../platform/port.js';
import { SessionRoutes } from '../sessions/session-routes.js';

/** Logs sessions in: by which way, how many at the same time, and for how long at most. */
@Injectable()
export class SessionLogins {
  readonly gate: FairPlaces;

  constructor(
    private readonly config: WorkerConfig,
    private readonly routes: SessionRoutes,
    private readonly platform: Platform,
  ) {
    this.gate = new FairPlaces('logins', config.loginsAtOnce);
  }

  get timeoutMs(): number {
    return this.config.loginTimeoutMs;
  }

  /** @throws ProxyError */
  async open(
    sessionId: string,
    credentials: Credentials,
    store: PlatformStore,
    listener: PlatformListener,
  ): Promise<PlatformSocket> {
    const { keepAliveMs, stallTimeoutMs, deviceName } = this.config;
    const limits = { keepAliveMs, stallMs: stallTimeoutMs };
    const address = { ...(await this.routes.of(sessionId)), limits, ...(deviceName ? { deviceName } : {}) };
    return this.platform.open(address, credentials, store, listener);
  }
}
