import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ListDeliveries, UpdateEndpoint } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import {
  createTestDatabase,
  type ServiceProcess,
  startProcess,
  startTestNats,
  type TestDatabase,
  type TestNats,
  waitFor,
  WebhookReceiver,
} from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { anEndpoint, dispatcherEnv, Producer } from './support.js';

const MAIN = join(dirname(fileURLToPath(import.meta.url)), '../dist/main.js');

let database: TestDatabase;
let nats: TestNats;
let receiver: WebhookReceiver;
let rpc: RpcClient;
let producer: Producer;
let env: Record<string, string>;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  [database, nats, receiver] = await Promise.all([
    createTestDatabase(schema),
    startTestNats(),
    WebhookReceiver.start(),
  ]);
  env = dispatcherEnv({ DATABASE_URL: database.url, NATS_URL: nats.url, PORT: '0', LOG_LEVEL: 'debug' });
  rpc = new RpcClient(nats.url, 'test');
  producer = await Producer.connect(nats.url);
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop('SIGKILL')));
  await producer.stop();
  await rpc.onApplicationShutdown();
  await receiver.stop();
  await Promise.all([database.drop(), nats.stop()]);
});

async function start(more: Record<string, string> = {}): Promise<ServiceProcess> {
  const started = await startProcess(MAIN, { ...env, ...more });
  processes.push(started);
  return started;
}

const allDelivered = async (tenantId: string, endpointId: string, count: number): Promise<boolean> => {
  const { deliveries } = await rpc.request(ListDeliveries, { tenantId, endpointId, dead: false, limit: 200 });
  return deliveries.length === count && deliveries.every(({ status }) => status === 'DELIVERED');
};

test('kill -9 with deliveries under way loses none and never makes a second id', async () => {
  const first = await start();
  const tenantId = randomUUID();
  const { id: endpointId, secret } = await anEndpoint(rpc, tenantId, `${receiver.origin}/hooks`);
  let killed = false;
  // Before the crash: some are delivered, some have failed, some never get an answer.
  receiver.answerWith(() =>
    killed ? 200 : (([200, 503, 'hang'] as const)[receiver.received.length % 3] ?? 200),
  );
  for (let i = 0; i < 120; i += 1) {
    await producer.received(tenantId, { keyId: String(i), body: { type: 'text', text: `words ${i}` } });
    if (i === 60) await waitFor('attempts', () => receiver.received.length >= 10);
  }
  // An event that is not committed comes again after the stream's ack wait of 10 s: not what is waited for here.
  await waitFor('all events to be taken in', async () => {
    const [row] = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM webhooks.webhook_event',
    );
    return row?.n === 120;
  });
  await first.stop('SIGKILL');
  killed = true;
  const second = await start();
  await waitFor('every delivery', () => allDelivered(tenantId, endpointId, 120), 20_000);

  const idsByKey = new Map<unknown, Set<string>>();
  for (const { deliveryId, payload } of receiver.bodies()) {
    const ids = idsByKey.get(payload['keyId']) ?? new Set();
    idsByKey.set(payload['keyId'], ids.add(deliveryId));
  }
  expect(idsByKey.size).toBe(120);
  expect([...idsByKey.values()].every((ids) => ids.size === 1)).toBe(true);

  for (const { output } of [first, second]) {
    expect(output()).toContain('is ready');
    for (const private_ of [secret, secret.slice(6), env['SECRETS_KEY'] ?? '', 'words 1']) {
      expect(output()).not.toContain(private_);
    }
  }
  expect(await second.stop()).toBe(0);
}, 60_000);

test('a change is in force whichever of two processes answers, and both stop cleanly', async () => {
  receiver.answerWith(200);
  const [one, two] = [await start(), await start({ WORKER_NAME: 'dispatcher-beside-it' })];
  const tenantId = randomUUID();
  const { id: endpointId } = await anEndpoint(rpc, tenantId, `${receiver.origin}/0`);
  for (let i = 1; i <= 12; i += 1) {
    await rpc.request(UpdateEndpoint, { tenantId, endpointId, url: `${receiver.origin}/${i}` });
    receiver.received.length = 0;
    await producer.received(tenantId);
    await waitFor('the webhook', () => receiver.received.length === 1);
    expect(receiver.received[0]?.path).toBe(`/${i}`);
  }
  expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0]);
});
