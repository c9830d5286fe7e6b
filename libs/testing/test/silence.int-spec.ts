import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isDatabaseAway, schemaDataSource } from '@svc/database';
import { Messaging } from '@svc/messaging';
import { startTestNats, startTestService, type TestNats, type TestService, waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { httpService, rawConnection, type RawConnection } from './http-service.js';

/** The waits are half a minute, so all of them run at one time, before the tests look at what came of them. */
const WAIT_MS = 60_000;
const since = (begun: number): number => performance.now() - begun;

let nats: TestNats;
let messaging: Messaging;
let service: TestService;
let dataSource: DataSource;
const noticed = { database: 0, nats: 0, body: 0 };
let databaseError: unknown;
let rowAfterwards: unknown;
let slowClient: RawConnection;

async function databaseFallsSilent(): Promise<void> {
  const [{ pid }] = await dataSource.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
  process.kill(pid, 'SIGSTOP');
  const begun = performance.now();
  databaseError = await dataSource.query('SELECT 1').catch((error: unknown) => error);
  noticed.database = since(begun);
  rowAfterwards = await dataSource.query('SELECT 1 AS one');
  process.kill(pid, 'SIGCONT');
}

async function natsFallsSilent(): Promise<void> {
  nats.pause();
  const begun = performance.now();
  await waitFor('the loss to be noticed', () => !messaging.isConnected(), WAIT_MS);
  noticed.nats = since(begun);
  nats.resume();
}

async function clientFallsSilent(): Promise<void> {
  slowClient = await rawConnection(service.url);
  const begun = performance.now();
  slowClient.socket.write('POST /echo HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\n');
  slowClient.socket.write('content-length: 100\r\n\r\n{"a":');
  await waitFor('the end', slowClient.closed, WAIT_MS);
  noticed.body = since(begun);
}

beforeAll(async () => {
  nats = await startTestNats();
  messaging = await Messaging.connect({ url: nats.url, name: 'listener' });
  service = await startTestService(httpService(), { schema: 'shop', migrations: [] });
  const { url } = service.database;
  const options = schemaDataSource({ url, schema: 'shop', entities: [], poolSize: 2 });
  dataSource = await new DataSource(options).initialize();
  await Promise.all([databaseFallsSilent(), natsFallsSilent(), clientFallsSilent()]);
}, WAIT_MS);

afterAll(async () => {
  await dataSource.destroy();
  await messaging.onApplicationShutdown();
  await Promise.all([service.stop(), nats.stop()]);
});

test('a database that has fallen silent is away after twenty seconds', () => {
  expect(isDatabaseAway(databaseError)).toBe(true);
  expect(noticed.database).toBeGreaterThan(15_000);
  expect(noticed.database).toBeLessThan(25_000);
});

test('its dead connection is handed to nobody: the next statement goes over a new one', () => {
  expect(rowAfterwards).toEqual([{ one: 1 }]);
});

test('a NATS server that has fallen silent is noticed within three pings, and reached again', async () => {
  expect(noticed.nats).toBeLessThan(35_000);
  await waitFor('the connection', () => messaging.isConnected());
});

test('a client that does not end its body is cut off after half a minute', () => {
  expect(noticed.body).toBeGreaterThan(25_000);
  expect(noticed.body).toBeLessThan(40_000);
  expect(slowClient.heard()).toContain('HTTP/1.1 408');
});
