import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import {
  configReader,
  connectionProviders,
  databaseModule,
  HealthController,
  ServiceConfig,
  type StartOptions,
} from '@svc/service';
import { connect, type Socket } from 'node:net';
import { DataSource } from 'typeorm';

/** What the slow route waits for; a test sets it. */
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

/** A service with a few routes, a database and health, started as every service is. */
export function httpService(): StartOptions {
  const read = configReader(ShopConfig);

  @Module({
    imports: [databaseModule('shop', read, [])],
    controllers: [Routes, HealthController],
    providers: connectionProviders('shop', ShopConfig, read),
  })
  class HttpModule {}

  return { name: 'shop', module: HttpModule, config: read };
}

/** A connection on which a test writes what it likes. */
export interface RawConnection {
  socket: Socket;
  heard: () => string;
  closed: () => boolean;
}

export async function rawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  let [heard, closed] = ['', false];
  const socket = connect(Number(port), hostname);
  socket.on('data', (chunk) => (heard += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (closed = true));
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, heard: () => heard, closed: () => closed };
}
