import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type DeliveryView,
  GetDelivery,
  ListDeliveries,
  type ListDeliveriesV1,
  type ListedDelivery,
  MessageReceived,
  MessageSent,
  partitionOf,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import {
  type DeliveryFilter,
  deliveryListSql,
  LAST,
  listParameters,
  type Position,
} from '../../src/deliveries/delivery-lists.js';
import { aMessage } from '../producer.js';
import { Stage, type Subscriber } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const get = async (tenantId: string, deliveryId: string): Promise<DeliveryView> =>
  (await stage.rpc.request(GetDelivery, { tenantId, deliveryId })).delivery;

type Filter = Partial<ListDeliveriesV1>;
const listOf =
  ({ tenantId, endpointId }: Subscriber) =>
  async (filter: Filter): Promise<ListedDelivery[]> => {
    const all = { tenantId, endpointId, statuses: [...DELIVERY_STATUSES], limit: 200 };
    return (await stage.rpc.request(ListDeliveries, { ...all, ...filter })).deliveries;
  };

describe('one delivery', () => {
  test('shows every attempt with the head of its answer: 4096 bytes, what is not UTF-8 replaced', async () => {
    const { tenantId, endpointId, delivery } = await stage.subscriber();
    const heads = [
      Buffer.from('{"ok":"Grüße"}'),
      Buffer.from([0x61, 0xff, 0x00, 0xc3]),
      Buffer.concat([Buffer.alloc(4095, 'x'), Buffer.from('ü'), Buffer.alloc(9_000, 'y')]),
      Buffer.alloc(0),
      Buffer.from('never mind'),
    ];
    stage.receiver.answerWith(() => ({
      status: 503,
      body: heads[stage.receiver.received.length - 1] as Buffer,
    }));
    const event = await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('DEAD');
    const shown = await get(tenantId, deliveryId);
    expect(shown).toMatchObject({
      deliveryId,
      endpointId,
      eventId: event.id,
      status: 'DEAD',
      deadReason: 'HTTP_503',
    });
    expect(Date.parse(shown.deadAt ?? '')).toBeGreaterThanOrEqual(Date.parse(shown.createdAt));
    expect(
      shown.attempts.map(({ attempt, status, error, replay }) => [attempt, status, error, replay]),
    ).toEqual([1, 2, 3, 4, 5].map((attempt) => [attempt, 503, 'HTTP_503', false]));
    expect(shown.attempts.map(({ responseHead }) => responseHead)).toEqual([
      '{"ok":"Grüße"}',
      'a\ufffd\u0000\ufffd',
      `${'x'.repeat(4095)}\ufffd`,
      '',
      'never mind',
    ]);
    const [listed] = await stage.deliveries(tenantId, endpointId);
    expect(listed).toEqual({
      ...{ ...shown, place: expect.any(String) },
      attempts: shown.attempts.map(({ responseHead: _, ...fields }) => fields),
    });
  });

  test("of nobody is not found, another tenant's is forbidden", async () => {
    const { tenantId, delivery } = await stage.subscriber();
    await stage.producer.received(tenantId);
    const { deliveryId } = await delivery('DELIVERED');
    await expect(get(tenantId, randomUUID())).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
    await expect(get(randomUUID(), deliveryId)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await get(tenantId, deliveryId)).deadReason).toBeNull();
  });
});

describe('a list of deliveries', () => {
  /** Makes one delivery in each state, of two events and one after the other. */
  async function oneOfEach() {
    const subscriber = await stage.subscriber(['message.received', 'message.sent']);
    const { tenantId, endpointId } = subscriber;
    const list = listOf(subscriber);
    const made: Record<string, DeliveryView> = {};
    const settle = async (status: DeliveryView['status']): Promise<void> => {
      made[status] = await waitFor(`one that is ${status}`, async () => {
        const [newest, ...others] = await list({});
        return newest?.status === status && others.length === Object.keys(made).length && newest;
      });
    };
    stage.receiver.answerWith(500);
    await stage.producer.received(tenantId);
    await settle('DEAD');
    stage.receiver.answerWith(200);
    const sent = { ...aMessage(), jobId: randomUUID(), to: 'x', status: 'SENT' };
    await stage.producer.publish({
      ...envelopeOf(MessageReceived, { tenantId }, sent),
      type: MessageSent.name,
    });
    await settle('DELIVERED');
    await stage.setStatus(tenantId, endpointId, 'PAUSED');
    await stage.producer.received(tenantId);
    await settle('HELD');
    return { subscriber, list, made };
  }

  test('is narrowed by status, event and time, and by all of them', async () => {
    const { list, made, subscriber } = await oneOfEach();
    const { DEAD, DELIVERED, HELD } = made as Record<string, DeliveryView>;
    const idsOf = async (filter: Filter) => (await list(filter)).map(({ deliveryId }) => deliveryId);
    const ids = (...views: (DeliveryView | undefined)[]) => views.map((view) => view?.deliveryId);
    for (const status of ['DEAD', 'DELIVERED', 'HELD', 'PENDING'] as const) {
      expect(await idsOf({ statuses: [status] })).toEqual(made[status] ? ids(made[status]) : []);
    }
    expect(await idsOf({ event: 'message.received' })).toEqual(ids(HELD, DEAD));
    expect(await idsOf({ event: 'message.sent' })).toEqual(ids(DELIVERED));
    expect(await idsOf({ event: 'message.read' })).toEqual([]);
    const since = DELIVERED?.createdAt ?? '';
    expect(await idsOf({ since })).toEqual(ids(HELD, DELIVERED));
    expect(await idsOf({ until: HELD?.createdAt ?? '' })).toEqual(ids(DELIVERED, DEAD));
    expect(await idsOf({ until: since.replace('Z', '+00:00') })).toEqual(ids(DEAD));
    expect(await idsOf({ since, event: 'message.received', statuses: ['HELD', 'DEAD'] })).toEqual(ids(HELD));
    expect(await idsOf({ before: HELD?.deliveryId ?? '', statuses: ['DEAD'] })).toEqual(ids(DEAD));
    expect(await subscriber.hot()).toHaveLength(1);
  });

  test('goes on where it was, also when the last of its page is deleted meanwhile', async () => {
    const { list, made } = await oneOfEach();
    const { DEAD, DELIVERED, HELD } = made as Record<string, DeliveryView>;
    const page = await list({ limit: 2 });
    expect(page).toMatchObject([{ deliveryId: HELD?.deliveryId }, { deliveryId: DELIVERED?.deliveryId }]);
    const { deliveryId, place = '' } = page[1] as ListedDelivery;
    await stage.database.query('DELETE FROM webhooks.webhook_attempt WHERE delivery_id = $1', [deliveryId]);
    expect(await list({ limit: 2, before: place })).toMatchObject([{ deliveryId: DEAD?.deliveryId }]);
  });

  test('after a delivery that is not there is refused', async () => {
    const list = listOf(await stage.subscriber());
    await expect(list({ before: randomUUID() })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'before' }] },
    });
  });

  test('costs as much as a page, however many there are and whatever they are filtered by', async () => {
    const { tenantId, endpointId } = await stage.subscriber();
    await fillWith(100_000, tenantId, endpointId);
    const range = { since: '2026-01-01T00:00:10Z', until: '2026-01-01T00:00:20Z' };
    const last = { at: '2026-01-01T00:00:30Z', seq: '1' };
    for (const [filter, position] of [
      [{ endpointId }, LAST],
      [{ endpointId, event: 'message.failed' as const }, LAST],
      [{ endpointId, ...range }, LAST],
      [{ endpointId, event: 'message.received' as const, ...range }, last],
      [{ endpointId }, last],
    ] as const) {
      expect([filter, (await blocksOf(filter, position)) < 500]).toEqual([filter, true]);
    }
  });

  test('costs as much as a page of a paused endpoint, too, however many are held', async () => {
    const { tenantId, endpointId } = await stage.subscriber();
    await stage.setStatus(tenantId, endpointId, 'PAUSED');
    // Half of them wait for another attempt.
    await stage.database.query(
      `INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, attempt, state, next_at, kind, event_at)
        SELECT gen_random_uuid(), gen_random_uuid(), $1, $2, $3, 1 + n % 2, CASE n % 2 WHEN 0 THEN 'held' ELSE 'scheduled' END,
          now() + interval '1 day', 'message.received', now() + n * interval '1 ms' FROM generate_series(1, 100000) n`,
      [endpointId, tenantId, partitionOf(tenantId)],
    );
    await stage.database.query('ANALYZE webhooks.webhook_delivery');
    for (const status of ['HELD', 'PENDING'] as const) {
      expect([status, (await blocksOf({ endpointId }, LAST, [status])) < 500]).toEqual([status, true]);
    }
  });
});

/** Counts the blocks that the database reads for a page. */
async function blocksOf(
  filter: DeliveryFilter,
  position: Position,
  statuses: readonly DeliveryStatus[] = DELIVERY_STATUSES,
): Promise<number> {
  const sql = deliveryListSql({ statuses, order: 'DESC', limit: '$7' });
  const [plan] = await stage
    .get(DataSource)
    .query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }[]>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
      [...listParameters(filter, position), 51],
    );
  const { 'Shared Hit Blocks': hit = 0, 'Shared Read Blocks': read = 0 } = plan?.['QUERY PLAN'][0].Plan ?? {};
  return hit + read;
}

/** Fills the tables with delivered and dead ones in equal parts, a millisecond between each; one in ten thousand has another event. */
async function fillWith(count: number, tenantId: string, endpointId: string): Promise<void> {
  const rows = `SELECT gen_random_uuid() AS id, n, CASE WHEN n % 10000 = 0 THEN 'message.failed' ELSE 'message.received' END AS kind,
    timestamptz '2026-01-01Z' + n * interval '1 ms' AS at FROM generate_series(1, ${count}) n`;
  await stage.database.query(
    `INSERT INTO webhooks.webhook_attempt (delivery_id, n, endpoint_id, event_id, seq, started_at, ms, delivered, kind, event_at)
      SELECT id, 1, $1, id, n, at, 1, true, kind, at FROM (${rows}) made WHERE n % 2 = 0`,
    [endpointId],
  );
  await stage.database.query(
    `INSERT INTO webhooks.webhook_dlq (delivery_id, endpoint_id, tenant_id, event_id, seq, attempts, reason, kind, event_at)
      SELECT id, $1, $2, id, n, 5, 'HTTP_500', kind, at FROM (${rows}) made WHERE n % 2 = 1`,
    [endpointId, tenantId],
  );
  await stage.database.query('ANALYZE webhooks.webhook_attempt, webhooks.webhook_dlq');
}
