import { Injectable } from '@nestjs/common';
import { PeriodicTasks } from '@svc/service';
import { PlatformVersions } from '../../versions/platform-versions.js';
import { RunnersService } from '../runners.service.js';

const LOOK_MS = 2_000;

/** Keeps the version of the client up to date: has it looked at, and has one session try what is new. */
@Injectable()
export class VersionTrials {
  constructor(
    private readonly versions: PlatformVersions,
    private readonly runners: RunnersService,
    tasks: PeriodicTasks,
  ) {
    tasks.add('platform version', LOOK_MS, () => this.check());
  }

  private async check(): Promise<void> {
    const isRunning = (sessionId: string): boolean => this.runners.of(sessionId) !== undefined;
    const isConnected = (sessionId: string): boolean => this.runners.of(sessionId)?.connected !== undefined;
    await this.versions.check({ isRunning, isConnected });
    const mayTry = (sessionId: string): boolean =>
      this.versions.wantsTrial(sessionId) && isConnected(sessionId) && !this.runners.isOfSandbox(sessionId);
    const sessionId = this.runners.running().find(mayTry);
    if (sessionId && (await this.versions.claim(sessionId))) this.runners.of(sessionId)?.renew();
  }
}
