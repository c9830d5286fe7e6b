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
import { PlatformVersions } from '../versions/platform-versions.js';

/** Logs sessions in: by which way, how many at the same time, and for how long at most. */
@Injectable()
export class SessionLogins {
  readonly gate: FairPlaces;

  constructor(
    private readonly config: WorkerConfig,
    private readonly routes: SessionRoutes,
    private readonly platform: Platform,
    private readonly versions: PlatformVersions,
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
    const { isSandbox, ...rest } = await this.routes.of(sessionId);
    const route = { ...rest, ...(deviceName ? { deviceName } : {}) };
    // The simulator of a sandbox is its tenant's: what it refuses says nothing of the platform.
    if (isSandbox) return this.platform.open({ ...route, limits }, credentials, store, listener);
    const revision = await this.versions.revisionFor(sessionId);
    const watching = this.versions.watching(sessionId, revision, listener);
    return this.platform.open({ ...route, limits, revision }, credentials, store, watching);
  }

  /** Lets a session of the platform wait for another version. @returns ends the wait */
  awaitVersion(sessionId: string, wake: () => void): () => void {
    return this.versions.wait(sessionId, wake);
  }
}
