import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isDatabaseAway, schemaDataSource } from '@svc/database';
import { Messaging } from '@svc/messaging';
import { startTestNats, startTestService, type TestNats, type TestService, waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { httpService, rawConnection, type RawConnection } from './http-service.js';

/** The silences last half a minute, so all of them run at one time, before the tests look at what came of them. */
const WAIT_MS = 120_000;

let nats: TestNats;
let messaging: Messaging;
let service: TestService;
let dataSource: DataSource;
let databaseError: unknown;
let rowAfterwards: unknown;
let slowClient: RawConnection;

async function databaseFallsSilent(): Promise<void> {
  const [{ pid }] = await dataSource.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
  process.kill(pid, 'SIGSTOP');
  databaseError = await dataSource.query('SELECT 1').catch((error: unknown) => error);
  rowAfterwards = await dataSource.query('SELECT 1 AS one');
  process.kill(pid, 'SIGCONT');
}

async function natsFallsSilent(): Promise<void> {
  nats.pause();
  await waitFor('the loss to be noticed', () => !messaging.isConnected(), WAIT_MS);
  nats.resume();
}

async function clientFallsSilent(): Promise<void> {
  slowClient = await rawConnection(service.url);
  slowClient.socket.write('POST /echo HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\n');
  slowClient.socket.write('content-length: 100\r\n\r\n{"a":');
  await waitFor('the end', slowClient.closed, WAIT_MS);
}

beforeAll(async () => {
  nats = await startTestNats();
  messaging = await Messaging.connect({ url: nats.url, name: 'listener' });
  service = await startTestService(httpService(), { schema: 'shop', migrations: [] });
  const { url } = service.database;
  const options = schemaDataSource({ url, schema: 'shop', entities: [], poolSize: 2 });
  dataSource = await new DataSource(options).initialize();
  await Promise.all([databaseFallsSilent(), natsFallsSilent(), clientFallsSilent()]);
}, 2 * WAIT_MS);

afterAll(async () => {
  await dataSource.destroy();
  await messaging.onApplicationShutdown();
  await Promise.all([service.stop(), nats.stop()]);
});

test('a database that has fallen silent is away', () => {
  expect(isDatabaseAway(databaseError)).toBe(true);
});

test('its dead connection is handed to nobody: the next statement goes over a new one', () => {
  expect(rowAfterwards).toEqual([{ one: 1 }]);
});

test('a NATS server that has fallen silent is noticed, and reached again', async () => {
  await waitFor('the connection', () => messaging.isConnected());
});

test('a client that does not end its body is cut off', () => {
  expect(slowClient.heard()).toContain('HTTP/1.1 408');
});
