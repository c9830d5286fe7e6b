import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type DeliveryView, ListDeliveries } from '@svc/contracts';
import { partitionOf, RpcClient } from '@svc/messaging';
import { bootService, setUpLogger } from '@svc/service';
import {
  createTestDatabase,
  startTestNats,
  type TestDatabase,
  type TestNats,
  waitFor,
  WebhookReceiver,
} from '@svc/testing';
import { DomainClock } from '../src/deliveries/domain-clock.js';
import { DeliveryRepository } from '../src/deliveries/delivery.repository.js';
import { OwnedPartitions } from '../src/deliveries/owned-partitions.js';
import type { QueuedDelivery } from '../src/deliveries/queued-delivery.js';
import { ResultRepository } from '../src/deliveries/result.repository.js';
import { EventRepository } from '../src/events/event.repository.js';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { anEndpoint, dispatcherEnv, Producer } from './support.js';

type App = Awaited<ReturnType<typeof bootService>>;

let database: TestDatabase;
let nats: TestNats;
let app: App;
let rpc: RpcClient;
let receiver: WebhookReceiver;
let producer: Producer;

beforeAll(async () => {
  [database, nats, receiver] = await Promise.all([
    createTestDatabase(schema),
    startTestNats(),
    WebhookReceiver.start(),
  ]);
  const env = dispatcherEnv({ WEBHOOK_RETRY_DELAYS_MS: '0,600000,100,150,200', WEBHOOK_TIMEOUT_MS: '5000' });
  Object.assign(process.env, { DATABASE_URL: database.url, NATS_URL: nats.url, PORT: '0', ...env });
  setUpLogger('webhook-dispatcher', process.env['TEST_LOG'] ?? 'silent');
  app = await bootService(serviceOptions);
  rpc = new RpcClient(nats.url, 'test');
  producer = await Producer.connect(nats.url);
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answerWith(200);
});
afterAll(async () => {
  await producer.stop();
  await rpc.onApplicationShutdown();
  await app.close();
  await receiver.stop();
  await Promise.all([database.drop(), nats.stop()]);
});

const moveClock = (ms: number) => database.query('SELECT public.svc_clock_set($1)', [ms]);
const hot = (tenantId: string) =>
  database.query<{ id: string; state: string; attempt: number }>(
    'SELECT id, state, attempt FROM webhooks.webhook_delivery WHERE tenant_id = $1',
    [tenantId],
  );

async function aSubscriber() {
  const tenantId = randomUUID();
  const { id: endpointId } = await anEndpoint(rpc, tenantId, `${receiver.origin}/${tenantId}`);
  const deliveries = async (): Promise<DeliveryView[]> =>
    (await rpc.request(ListDeliveries, { tenantId, endpointId, dead: false, limit: 50 })).deliveries;
  return { tenantId, endpointId, deliveries };
}

/** Makes somebody else the owner of a partition; answers with the new epoch. */
async function steal(partition: number): Promise<number> {
  const [lease] = await database.query<{ epoch: number }>(
    `UPDATE webhooks.partition_lease SET owner = 'somebody else', epoch = epoch + 1,
      expires_at = now() + interval '1 hour' WHERE partition = $1 RETURNING epoch::int`,
    [partition],
  );
  return lease?.epoch ?? 0;
}

const giveBack = (partition: number) =>
  database.query('UPDATE webhooks.partition_lease SET expires_at = now() WHERE partition = $1', [partition]);

/** What came to a tenant's endpoint: a late POST of another test is none of it. */
const arrived = (tenantId: string) => receiver.received.filter(({ path }) => path === `/${tenantId}`);

/** A receiver that does not answer until it is told to. */
function holdBack(): () => void {
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  receiver.answerWith(async () => (await gate, 200));
  return open;
}

describe('the schedule', () => {
  test('follows domain time: moving the clock brings a retry within a second or two', async () => {
    const { tenantId, deliveries } = await aSubscriber();
    receiver.answerWith(503);
    await producer.received(tenantId);
    const pending = await waitFor('the first failure', async () => {
      const [one] = await deliveries();
      return one?.attempts.length === 1 && one.nextAttemptAt ? one : undefined;
    });
    const [attempt] = pending.attempts;
    const ended = Date.parse(attempt?.startedAt ?? '') + (attempt?.durationMs ?? 0);
    const wait = Date.parse(pending.nextAttemptAt ?? '') - ended;
    expect(wait).toBeGreaterThanOrEqual(600_000 - 1);
    expect(wait).toBeLessThan(630_000 + 2_000);

    receiver.answerWith(200);
    await moveClock(590_000);
    const { now } = app.get(DomainClock, { strict: false });
    await waitFor('the move to be noticed', () => now(tenantId) - Date.now() > 580_000);
    expect(arrived(tenantId)).toHaveLength(1);
    await moveClock(631_000);
    const movedAt = Date.now();
    await waitFor('the retry', () => arrived(tenantId).length === 2);
    expect(Date.now() - movedAt).toBeLessThan(2_000);
    await moveClock(0);
  });

  test('survives a restart: retries and deliveries under way are taken over with their ids', async () => {
    const { tenantId, deliveries } = await aSubscriber();
    receiver.answerWith(503);
    await producer.received(tenantId);
    await waitFor('the failure', async () => (await deliveries())[0]?.attempts.length === 1);
    await app.close();
    await database.query('UPDATE webhooks.webhook_delivery SET next_at = now() WHERE tenant_id = $1', [
      tenantId,
    ]);
    // As a crash leaves it: in the memory of a process that is no more.
    const [row] = await hot(tenantId);
    await database.query(`UPDATE webhooks.webhook_delivery SET state = 'leased' WHERE id = $1`, [row?.id]);
    receiver.answerWith(200);
    await producer.received(tenantId, { keyId: 'while it was away' });
    app = await bootService(serviceOptions);
    await waitFor('both', async () => {
      const list = await deliveries();
      return list.length === 2 && list.every(({ status }) => status === 'DELIVERED');
    });
    const retried = (await deliveries()).find(({ deliveryId }) => deliveryId === row?.id);
    expect(retried?.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 503],
      [2, 200],
    ]);
  });

  test('finishes what is under way before it stops', async () => {
    const { tenantId, deliveries } = await aSubscriber();
    const open = holdBack();
    await producer.received(tenantId);
    await waitFor('the attempt', () => arrived(tenantId).length === 1);
    const closed = app.close();
    open();
    await closed;
    expect(await hot(tenantId)).toEqual([]);
    app = await bootService(serviceOptions);
    const [delivered] = await waitFor('an answer', deliveries);
    expect(delivered).toMatchObject({ status: 'DELIVERED', attempts: [{ attempt: 1 }] });
    expect(arrived(tenantId)).toHaveLength(1);
  });
});

describe('an owner that lost its lease', () => {
  test('writes no result, takes nothing in, and the next owner sends again with the same id', async () => {
    const { tenantId, deliveries } = await aSubscriber();
    const open = holdBack();
    await producer.received(tenantId);
    await waitFor('the attempt', () => arrived(tenantId).length === 1);
    const partition = partitionOf(tenantId);
    await steal(partition);
    open();
    const [before] = await hot(tenantId);
    await producer.received(tenantId, { keyId: 'second' });
    const owned = app.get(OwnedPartitions, { strict: false });
    await waitFor('the loss to be noticed', () => owned.epochOf(partition) === undefined);
    expect(await hot(tenantId)).toEqual([{ ...before, state: 'leased', attempt: 1 }]);
    expect((await deliveries())[0]?.attempts).toEqual([]);

    await giveBack(partition);
    await waitFor(
      'both deliveries',
      async () => {
        const list = await deliveries();
        return list.length === 2 && list.every(({ status }) => status === 'DELIVERED');
      },
      20_000,
    );
    const ids = arrived(tenantId).map(({ headers }) => headers['x-svc-delivery-id']);
    expect(ids.filter((id) => id === before?.id)).toHaveLength(2);
    expect(ids).toHaveLength(3);
  });

  test('of an old epoch changes nothing through any statement', async () => {
    const { tenantId, endpointId } = await aSubscriber();
    receiver.answerWith(503);
    await producer.received(tenantId);
    const [row] = await waitFor('the failure', async () => {
      const rows = await hot(tenantId);
      return rows[0]?.state === 'scheduled' && rows;
    });
    const partition = partitionOf(tenantId);
    // Under the nose of its owner, who believes in its epoch until the next renewal.
    const epoch = (await steal(partition)) - 1;
    await database.query('UPDATE webhooks.webhook_delivery SET next_at = now() WHERE id = $1', [row?.id]);
    const dump = () =>
      database.query(
        `SELECT to_jsonb(d) AS delivery, (SELECT count(*) FROM webhooks.webhook_attempt) AS attempts,
          (SELECT count(*) FROM webhooks.webhook_event) AS events FROM webhooks.webhook_delivery d WHERE id = $1`,
        [row?.id],
      );
    const before = await dump();
    const deliveries = app.get(DeliveryRepository, { strict: false });
    expect(await deliveries.claim([{ partition, epoch, endpointId, tenantId, room: 10 }])).toEqual([]);
    expect(await deliveries.release([{ partition, epoch }])).toBe(0);
    const item: QueuedDelivery = {
      id: row?.id ?? '',
      eventId: randomUUID(),
      endpointId,
      tenantId,
      partition,
      epoch,
      attempt: 2,
      conversation: 0,
      kind: 'message.received',
      payload: Buffer.from('{}'),
    };
    await deliveries.hold(item, endpointId, [item.id]);
    await app.get(ResultRepository, { strict: false }).record([
      {
        item,
        attemptId: randomUUID(),
        startedAt: new Date(),
        durationMs: 1,
        status: 200,
        error: null,
        head: Buffer.alloc(0),
        endedAtMs: performance.now(),
        retryInMs: undefined,
        generation: 1,
      },
    ]);
    const event = {
      ...item,
      sessionId: null,
      id: item.eventId,
      deliveries: [{ item: { ...item, id: randomUUID() }, state: 'leased' as const }],
    };
    const outcome = await app.get(EventRepository, { strict: false }).commit([event]);
    expect([...outcome.partitions, ...outcome.made]).toEqual([]);
    expect(await dump()).toEqual(before);
    await giveBack(partition);
  });
});

test('a delivery whose commit was not heard is found and sent', async () => {
  const { tenantId, endpointId, deliveries } = await aSubscriber();
  const [eventId, id] = [randomUUID(), randomUUID()];
  await database.query(
    `INSERT INTO webhooks.webhook_event (id, tenant_id, conversation, kind, payload, created_at)
      VALUES ($1, $2, 0, 'message.received', '{}', now())`,
    [eventId, tenantId],
  );
  await database.query(
    `INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at)
      VALUES ($1, $2, $3, $4, $5, 'leased', now())`,
    [id, eventId, endpointId, tenantId, partitionOf(tenantId)],
  );
  await waitFor('the delivery', async () => (await deliveries())[0]?.status === 'DELIVERED');
  expect(receiver.bodies(`/${tenantId}`)).toEqual([
    { event: 'message.received', deliveryId: id, payload: {} },
  ]);
});

test('the probes answer', async () => {
  for (const probe of ['live', 'ready']) {
    expect((await fetch(`${await app.getUrl()}/health/${probe}`)).status).toBe(200);
  }
});
