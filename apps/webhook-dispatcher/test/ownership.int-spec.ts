import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { partitionOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { DeliveryRepository } from '../src/deliveries/delivery.repository.js';
import { OwnedPartitions } from '../src/deliveries/owned-partitions.js';
import type { QueuedDelivery } from '../src/deliveries/queued-delivery.js';
import { ResultRepository } from '../src/deliveries/result.repository.js';
import { EventRepository } from '../src/events/event.repository.js';
import { type App, Bench } from './bench.js';

let bench: Bench;
let app: App;

beforeAll(async () => {
  bench = await Bench.start({
    WEBHOOK_RETRY_DELAYS_MS: '0,600000,100,150,200',
    WEBHOOK_TIMEOUT_MS: '5000',
  });
  app = await bench.boot();
});
beforeEach(() => {
  bench.receiver.received.length = 0;
  bench.receiver.answerWith(200);
});
afterAll(async () => {
  await app.close();
  await bench.stop();
});

/** Makes somebody else the owner of a partition; answers with the new epoch. */
async function steal(partition: number): Promise<number> {
  const [lease] = await bench.database.query<{ epoch: number }>(
    `UPDATE webhooks.partition_lease SET owner = 'somebody else', epoch = epoch + 1,
      expires_at = now() + interval '1 hour' WHERE partition = $1 RETURNING epoch::int`,
    [partition],
  );
  return lease?.epoch ?? 0;
}

const giveBack = (partition: number) =>
  bench.database.query('UPDATE webhooks.partition_lease SET expires_at = now() WHERE partition = $1', [
    partition,
  ]);

describe('a restart', () => {
  test('takes over retries and deliveries under way with their ids', async () => {
    const { tenantId, deliveries, hot } = await bench.subscriber();
    bench.receiver.answerWith(503);
    await bench.producer.received(tenantId);
    await waitFor('the failure', async () => (await deliveries())[0]?.attempts.length === 1);
    await app.close();
    await bench.database.query('UPDATE webhooks.webhook_delivery SET next_at = now() WHERE tenant_id = $1', [
      tenantId,
    ]);
    // As a crash leaves it: in the memory of a process that is no more.
    const [row] = await hot();
    await bench.database.query(`UPDATE webhooks.webhook_delivery SET state = 'leased' WHERE id = $1`, [
      row?.id,
    ]);
    bench.receiver.answerWith(200);
    await bench.producer.received(tenantId, { keyId: 'while it was away' });
    app = await bench.boot();
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
    const { tenantId, deliveries, hot, posts } = await bench.subscriber();
    const open = bench.holdBack();
    await bench.producer.received(tenantId);
    await waitFor('the attempt', () => posts().length === 1);
    const closed = app.close();
    open();
    await closed;
    expect(await hot()).toEqual([]);
    app = await bench.boot();
    const [delivered] = await waitFor('an answer', deliveries);
    expect(delivered).toMatchObject({ status: 'DELIVERED', attempts: [{ attempt: 1 }] });
    expect(posts()).toHaveLength(1);
  });
});

describe('an owner that lost its lease', () => {
  test('writes no result, takes nothing in, and the next owner sends again with the same id', async () => {
    const { tenantId, deliveries, hot, posts } = await bench.subscriber();
    const open = bench.holdBack();
    await bench.producer.received(tenantId);
    await waitFor('the attempt', () => posts().length === 1);
    const partition = partitionOf(tenantId);
    await steal(partition);
    open();
    const [before] = await hot();
    await bench.producer.received(tenantId, { keyId: 'second' });
    const owned = app.get(OwnedPartitions, { strict: false });
    await waitFor('the loss to be noticed', () => owned.epochOf(partition) === undefined);
    expect(await hot()).toEqual([{ ...before, state: 'leased', attempt: 1 }]);
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
    expect(posts().filter((id) => id === before?.id)).toHaveLength(2);
    expect(posts()).toHaveLength(3);
  });

  test('of an old epoch changes nothing through any statement', async () => {
    const { tenantId, endpointId, hot } = await bench.subscriber();
    bench.receiver.answerWith(503);
    await bench.producer.received(tenantId);
    const [row] = await waitFor('the failure', async () => {
      const rows = await hot();
      return rows[0]?.state === 'scheduled' && rows;
    });
    const partition = partitionOf(tenantId);
    // Under the nose of its owner, who believes in its epoch until the next renewal.
    const epoch = (await steal(partition)) - 1;
    await bench.database.query('UPDATE webhooks.webhook_delivery SET next_at = now() WHERE id = $1', [
      row?.id,
    ]);
    const dump = () =>
      bench.database.query(
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
  const { tenantId, endpointId, path, deliveries } = await bench.subscriber();
  const [eventId, id] = [randomUUID(), randomUUID()];
  await bench.database.query(
    `INSERT INTO webhooks.webhook_event (id, tenant_id, conversation, kind, payload, created_at)
      VALUES ($1, $2, 0, 'message.received', '{}', now())`,
    [eventId, tenantId],
  );
  await bench.database.query(
    `INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at)
      VALUES ($1, $2, $3, $4, $5, 'leased', now())`,
    [id, eventId, endpointId, tenantId, partitionOf(tenantId)],
  );
  await waitFor('the delivery', async () => (await deliveries())[0]?.status === 'DELIVERED');
  expect(bench.receiver.bodies(path)).toEqual([{ event: 'message.received', deliveryId: id, payload: {} }]);
});

test('the probes answer', async () => {
  for (const probe of ['live', 'ready']) {
    expect((await fetch(`${await app.getUrl()}/health/${probe}`)).status).toBe(200);
  }
});
