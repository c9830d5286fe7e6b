import { Controller, Get, Inject, Optional, ServiceUnavailableException } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Messaging } from '@svc/messaging';
import { DataSource } from 'typeorm';

/** Token of an app's own readiness check, e.g. that its lease loop runs. */
export const READINESS = Symbol('readiness');
/** Throws when the app is not ready. */
export type Readiness = () => Promise<void> | void;

/**
 * Answers the probes. Live: the event loop answers, nothing else, so that a blip of the database does not restart five hundred
 * sockets. Ready: database and NATS answer; otherwise no traffic comes here.
 */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly messaging: Messaging,
    private readonly dataSource: DataSource,
    @Optional() @Inject(READINESS) private readonly readiness?: Readiness,
  ) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'ok' };
  }

  @Get('ready')
  async ready(): Promise<{ status: string }> {
    if (!this.messaging.isConnected()) throw new ServiceUnavailableException('NATS is not connected');
    await this.dataSource.query('SELECT 1').catch(() => {
      throw new ServiceUnavailableException('the database does not answer');
    });
    await this.readiness?.();
    return { status: 'ok' };
  }
}
