import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { GetTiers, GetTiersV1, type TiersReply } from '@svc/contracts';
import { Messaging, OnRequest, RpcClient } from '@svc/messaging';
import { startTestNats, type TestNats } from '@svc/test-servers';
import { bootService, loadConfig, OpsServer, ServiceConfig } from '../src/index.js';

/** Time for which a request is worked at, in ms, and who hears that it began; a test sets them. */
const work: { ms: number; begun(): void } = { ms: 0, begun: () => undefined };

@Controller()
class Handlers {
  @OnRequest(GetTiers)
  async tiers(@Payload() _: GetTiersV1): Promise<TiersReply> {
    work.begun();
    await delay(work.ms);
    return { tiers: [] };
  }
}

let nats: TestNats;
let asker: Messaging;
let proxy: Server;
/** Ways from NATS to the service, each with the socket that it ends in. */
const ways: [from: Socket, to: Socket][] = [];

beforeAll(async () => {
  nats = await startTestNats();
  asker = await Messaging.connect({ url: nats.url, name: 'asker' });
  proxy = createServer((to) => {
    const from = connect(Number(new URL(nats.url).port), '127.0.0.1');
    to.pipe(from).pipe(to);
    ways.push([from, to]);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(async () => {
  await asker.onApplicationShutdown();
  for (const [from, to] of ways) for (const socket of [from, to]) socket.destroy();
  proxy.close();
  await nats.stop();
});

async function bootLimits(): Promise<() => Promise<void>> {
  const url = `nats://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const messaging = await Messaging.connect({ url, name: 'limits' });
  @Module({
    controllers: [Handlers],
    providers: [{ provide: Messaging, useValue: messaging }, OpsServer],
  })
  class SmallModule {}
  const env = {
    ...{ DATABASE_URL: 'postgres://unused', NATS_URL: url },
    ...{ SVC_MODE: 'development', OPS_PORT: '0' },
  };
  const config = loadConfig(ServiceConfig, env);
  const app = await bootService({ name: 'limits', module: SmallModule, config: () => config });
  return () => app.close();
}

test('a request that is on its way to a service when the service ends is answered', async () => {
  const close = await bootLimits();
  for (const [from, to] of ways) from.unpipe(to);
  const answer = RpcClient.of(asker).request(GetTiers, { sessionIds: [] });
  await asker.line.connection.flush();
  const closed = close();
  for (const [from, to] of ways) from.pipe(to);
  expect(await answer).toEqual({ tiers: [] });
  await closed;
});

test('a request that takes its time when the service ends is answered', async () => {
  const close = await bootLimits();
  work.ms = 1_500;
  const begun = new Promise<void>((resolve) => (work.begun = resolve));
  const answer = RpcClient.of(asker).request(GetTiers, { sessionIds: [] });
  await begun;
  await close();
  expect(await answer).toEqual({ tiers: [] });
});
