import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { WebhookEvent } from '@svc/sdk';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { receiver as fastifyReceiver } from '../examples/fastify.js';
import { HANDLE, HookController, SECRET } from '../examples/nest.js';
import { deliveryOf, newSecret, signatureOf } from './sign.js';

type Handle = (event: WebhookEvent) => unknown;
interface Running {
  origin: string;
  stop: () => Promise<unknown>;
}

const secret = newSecret();
const LOCAL = { host: '127.0.0.1', port: 0 };

async function express(handle: Handle): Promise<Running> {
  const { receiver } = createRequire(import.meta.url)('../examples/express.cjs') as {
    receiver: (
      secret: string,
      handle: Handle,
    ) => { listen(port: number, host: string, then: () => void): Server };
  };
  const server = await new Promise<Server>((resolve) => {
    const listening: Server = receiver(secret, handle).listen(LOCAL.port, LOCAL.host, () =>
      resolve(listening),
    );
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, stop: () => new Promise((done) => server.close(done)) };
}

async function fastify(handle: Handle): Promise<Running> {
  const app = fastifyReceiver(secret, handle);
  return { origin: await app.listen(LOCAL), stop: () => app.close() };
}

async function nest(handle: Handle): Promise<Running> {
  @Module({
    controllers: [HookController],
    providers: [
      { provide: SECRET, useValue: secret },
      { provide: HANDLE, useValue: handle },
    ],
  })
  class AppModule {}
  const options = { rawBody: true, logger: false } as const;
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), options);
  await app.listen(LOCAL);
  return { origin: await app.getUrl(), stop: () => app.close() };
}

describe.each([
  ['Express', express],
  ['Fastify', fastify],
  ['Nest', nest],
])('the receiver of %s', (_name, start) => {
  let running: Running;
  let handled: WebhookEvent[];

  beforeEach(async () => {
    jest.spyOn(console, 'warn').mockReturnValue(); // an example may say there why it refused
    handled = [];
    running = await start((event) => handled.push(event));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await running.stop();
  });

  /** Posts a request as the gateway does. */
  const post = async (body: string, signature?: string, type = 'application/json'): Promise<number> => {
    const headers = { 'Content-Type': type, ...(signature && { 'X-Svc-Signature': signature }) };
    return (await fetch(`${running.origin}/hook`, { method: 'POST', headers, body })).status;
  };

  // The body has blanks: a receiver that parses it and writes it again gets other bytes.
  const body = JSON.stringify(JSON.parse(deliveryOf({ text: 'Grüße 👋' })), null, 1);

  test('answers 200 to what is genuine, and handles it', async () => {
    const now = Date.now();
    expect(await post(body, signatureOf(secret, now, body))).toBe(200);
    expect(handled).toEqual([
      { event: 'message.received', deliveryId: 'delivery-1', payload: { text: 'Grüße 👋' }, timestamp: now },
    ]);
  });

  test('answers 401 to what is not, and handles none of it', async () => {
    const good = signatureOf(secret, Date.now(), body);
    const statuses = [
      await post(body.replace('message.received', 'message.sent'), good),
      await post(body, signatureOf(newSecret(), Date.now(), body)),
      await post(body, signatureOf(secret, Date.now() - 301_000, body)),
      await post(body, `${good}0`),
      await post(body),
    ];
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(handled).toEqual([]);
  });

  test('takes the largest event', async () => {
    const large = deliveryOf({ text: 'x'.repeat(1_000_000) });
    expect(await post(large, signatureOf(secret, Date.now(), large))).toBe(200);
  });

  test('does not fall over a body of another kind, or none', async () => {
    const good = signatureOf(secret, Date.now(), body);
    const statuses = [await post(body, good, 'application/xml'), await post('', good)];
    expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
    expect(handled).toEqual([]);
  });
});
