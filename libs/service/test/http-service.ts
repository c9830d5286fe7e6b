import { connect, type Socket } from 'node:net';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { migrate, type MigrateOptions } from '@svc/database';
import { startTestNats, testDatabases, type TestNats } from '@svc/test-servers';
import { DataSource } from 'typeorm';
import {
  bootService,
  configReader,
  connectionProviders,
  databaseModule,
  OpsServer,
  ServiceConfig,
  silenceConsole,
  type StartOptions,
} from '../src/index.js';

/** Makes an empty, migrated database for a test file. */
export const createTestDatabase = testDatabases<Omit<MigrateOptions, 'url'>>((url, schema) =>
  migrate({ ...schema, url }),
);

/** Promise that the slow route waits for; a test sets it. */
export const slow = { answer: Promise.resolve() };

class ShopConfig extends ServiceConfig {}

@Controller()
class Routes {
  constructor(private readonly dataSource: DataSource) {}

  @Get('slow')
  async slow(): Promise<object> {
    await slow.answer;
    return { slow: true };
  }

  @Get('row')
  async row(): Promise<object> {
    return this.dataSource.query('SELECT 1 AS one');
  }

  @Post('echo')
  echo(@Body() body: object): object {
    return body;
  }
}

/** Describes a service with a few routes, a database and health, started as every service is. */
function httpService(): StartOptions {
  const read = configReader(ShopConfig);

  @Module({
    imports: [databaseModule('shop', read, [])],
    controllers: [Routes],
    providers: connectionProviders('shop', ShopConfig, read),
  })
  class HttpModule {}

  return { name: 'shop', module: HttpModule, config: read, http: () => ({ port: 0, preStopMs: 0 }) };
}

/** A service of this process, on a nats-server of its own. */
export interface Shop {
  url: string;
  /** Address of its port for probes. */
  opsUrl: string;
  nats: TestNats;
  stop(): Promise<void>;
}

/** Boots the service on a database that is there; its configuration is read once, so once per test file. */
export async function startShop(databaseUrl: string): Promise<Shop> {
  const nats = await startTestNats();
  Object.assign(process.env, {
    DATABASE_URL: databaseUrl,
    NATS_URL: nats.url,
    SVC_MODE: 'development',
    OPS_PORT: '0',
  });
  silenceConsole();
  const app = await bootService(httpService());
  return {
    url: await app.getUrl(),
    opsUrl: `http://127.0.0.1:${app.get(OpsServer).port}`,
    nats,
    stop: async () => {
      await app.close();
      await nats.stop();
    },
  };
}

/** A connection on which a test writes what it likes. */
export interface RawConnection {
  socket: Socket;
  received: () => string;
  closed: () => boolean;
}

export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  let [received, closed] = ['', false];
  const socket = connect(Number(port), hostname);
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, received: () => received, closed: () => closed };
}
