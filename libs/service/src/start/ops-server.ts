import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Inject,
  Injectable,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  Optional,
} from '@nestjs/common';
import { AppError } from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { DataSource } from 'typeorm';
import { log } from '../logging/logger.js';
import { metricsText } from '../metrics.js';
import { toAppError } from './error-filters.js';
import { requestIdOf } from './request-id.js';
import { VERSION } from './version.js';

/** Token of an app's own readiness check, e.g. that its lease loop runs. */
export const READINESS = Symbol('readiness');
/** Throws when the app is not ready. */
export type Readiness = () => Promise<void> | void;

/** Token of what an app shows support beside the probes, by path. */
export const OPS_PAGES = Symbol('ops pages');
/** Pages of support: each returns what is sent as JSON. */
export type OpsPages = Record<string, () => object>;

const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serves the port of whoever runs the installation: probes, figures, and what else an app shows. Customers never reach it. Live: the event
 * loop answers, nothing else, so that a blip of the database does not restart five hundred sockets. Ready: database and NATS answer, and the
 * process does not stop; otherwise no traffic comes here. It is answered until the process has ended all else.
 */
@Injectable()
export class OpsServer implements OnModuleDestroy, OnApplicationShutdown {
  private readonly pages: Record<string, () => unknown>;
  private readonly server = createServer((request, response) => void this.answer(request, response));
  private stopping = false;

  constructor(
    private readonly messaging: Messaging,
    @Optional() private readonly dataSource?: DataSource,
    @Optional() @Inject(READINESS) private readonly readiness?: Readiness,
    @Optional() @Inject(OPS_PAGES) more: OpsPages = {},
  ) {
    const ok = { status: 'ok', version: VERSION };
    this.pages = {
      '/health/live': () => ok,
      '/health/ready': async () => {
        await this.assertReady();
        return ok;
      },
      '/metrics': metricsText,
      ...more,
    };
  }

  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  /** Port that it listens on: one that the system has chosen where 0 was asked for. */
  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Says from now on that no traffic may come here any more. */
  turnAway(): void {
    this.stopping = true;
  }

  onModuleDestroy(): void {
    this.turnAway();
  }

  async onApplicationShutdown(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async assertReady(): Promise<void> {
    if (this.stopping) throw new AppError('UPSTREAM_UNAVAILABLE', 'this process stops');
    if (!this.messaging.isConnected()) throw new AppError('UPSTREAM_UNAVAILABLE', 'NATS is not connected');
    await this.dataSource?.query('SELECT 1').catch((error: unknown) => {
      throw new AppError('UPSTREAM_UNAVAILABLE', 'the database does not answer', {}, { cause: error });
    });
    await this.readiness?.();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    try {
      const [path = ''] = (request.url ?? '').split('?');
      const page = Object.hasOwn(this.pages, path) ? this.pages[path] : undefined;
      if (!page || request.method !== 'GET') throw new AppError('NOT_FOUND');
      const body = await page();
      const isText = typeof body === 'string';
      response.writeHead(200, { 'content-type': isText ? TEXT : JSON_TYPE });
      response.end(isText ? body : JSON.stringify(body));
    } catch (thrown) {
      refuse(request, response, thrown);
    }
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
  const { code, message, status, meta, cause } = toAppError(thrown);
  if (cause) log().warn({ code, err: cause }, `${request.url} is refused: ${message}`);
  response.writeHead(status, { 'content-type': JSON_TYPE, ...(status >= 503 ? { 'retry-after': '1' } : {}) });
  response.end(JSON.stringify({ code, message, requestId: requestIdOf(request), meta }));
}
