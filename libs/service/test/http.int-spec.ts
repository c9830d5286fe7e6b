import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '@svc/database';
import { type LocalServer, startPostgres } from '@svc/local-servers';
import { waitFor } from '@svc/test-servers';
import { rawConnection, type Shop, slow, startShop } from './http-service.js';

let dataDir: string;
let postgres: LocalServer;
let service: Shop;
let stopped: Promise<void> | undefined;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-http-'));
  postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } });
  await migrate({ schema: 'shop', migrations: [], url: postgres.url });
  service = await startShop(postgres.url);
});
afterAll(async () => {
  await (stopped ?? service.stop());
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const get = (path: string) => fetch(`${path.startsWith('/health') ? service.opsUrl : service.url}${path}`);

describe('readiness', () => {
  test('is 200 while database and NATS answer', async () => {
    expect((await get('/health/ready')).status).toBe(200);
  });

  test('is 503 with the error body and a time to come back while NATS is away; liveness stays', async () => {
    await service.nats.kill();
    const answer = await waitFor('the loss', async () => {
      const one = await get('/health/ready');
      return one.status === 200 ? undefined : one;
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', meta: {} });
    expect((await get('/health/live')).status).toBe(200);
    await service.nats.restart();
    await waitFor('NATS', async () => (await get('/health/ready')).status === 200);
  });
});

test('while the database is down a route that needs it is 503 with a time to come back, then works again', async () => {
  expect((await get('/row')).status).toBe(200);
  await postgres.stop();
  for (const path of ['/row', '/health/ready']) {
    const answer = await get(path);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', meta: {} });
  }
  postgres = await startPostgres({ dataDir, settings: { fsync: 'off' }, port: postgres.port });
  expect((await get('/row')).status).toBe(200);
});

test('a request that comes in while the service stops is answered like any other', async () => {
  let answer = (): void => undefined;
  slow.answer = new Promise((resolve) => (answer = resolve));
  const { socket, received, closed } = await rawConnection(service.url);
  socket.write('GET /slow HTTP/1.1\r\nhost: shop\r\n\r\n');
  await get('/row'); // the slow one was sent before, so it is under way
  stopped = service.stop();
  await waitFor('the door to close', async () => {
    const refused = await get('/row').catch(() => undefined);
    return refused === undefined;
  });
  socket.write('GET /nowhere HTTP/1.1\r\nhost: shop\r\n\r\n');
  answer();
  await waitFor('the end', closed);
  expect(received()).toContain('{"slow":true}');
  expect(received()).toContain('HTTP/1.1 404');
  expect(received()).toContain('"code":"NOT_FOUND"');
  expect(received()).not.toContain('FST_ERR');
});
