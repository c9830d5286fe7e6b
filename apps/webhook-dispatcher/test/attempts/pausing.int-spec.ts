import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  DeleteEndpoint,
  type DeliveryStatus,
  type DeliveryView,
  GetDelivery,
  GetEndpoint,
  ListDeliveries,
  partitionOf,
  PauseEndpoint,
  ReactivateEndpoint,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

// Retries far away: here every attempt is a first one, so that runs of answers are exact.
const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0,600000,600000,600000,600000' });
beforeAll(() => stage.boot());

async function aSubscriber() {
  // The endpoint is not subscribed to the events of a pause.
  const subscriber = await stage.subscriber(['message.received']);
  const { tenantId, endpointId, deliveries } = subscriber;
  const view = async () => (await stage.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint;
  const attempts = async (): Promise<number> => (await deliveries()).flatMap((one) => one.attempts).length;
  /** Publishes one event per answer, each after the attempt before is written; null: the line is cut. */
  const answered = async (...statuses: (number | null)[]): Promise<void> => {
    for (const status of statuses) {
      const before = await attempts();
      stage.receiver.answerWith(status ?? 'reset');
      await stage.producer.received(tenantId);
      await waitFor('the attempt', async () => (await attempts()) === before + 1);
    }
  };
  const asked = { tenantId, endpointId, actor: 'key:ada' };
  const pause = (reason = 'moving') => stage.rpc.request(PauseEndpoint, { ...asked, reason });
  const reactivate = (reason = 'moved') => stage.rpc.request(ReactivateEndpoint, { ...asked, reason });
  return { ...subscriber, view, answered, pause, reactivate };
}

describe('an endpoint', () => {
  test('is paused by five permanent 4xx in a row, not by four; its reason says so', async () => {
    const { view, answered } = await aSubscriber();
    const startedAt = Date.now();
    await answered(404, 410, 401, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(404);
    expect(await view()).toMatchObject({ status: 'PAUSED', pausedReason: 'PERMANENT_4XX' });
    expect(Date.parse((await view()).pausedAt ?? '')).toBeGreaterThanOrEqual(startedAt);
  });

  test('is paused by any answer that speaks of its address', async () => {
    for (const run of [
      [401, 403, 404, 405, 410],
      [414, 451, 414, 451, 403],
    ]) {
      const { view, answered } = await aSubscriber();
      await answered(...run);
      expect(await view()).toMatchObject({ status: 'PAUSED', pausedReason: 'PERMANENT_4XX' });
    }
  });

  test.each([
    ['a success', 200],
    ['a server error', 500],
    ['a 408', 408],
    ['a 425', 425],
    ['a 429', 429],
    ['a redirect', 302],
    ['a cut line', null],
  ])('is not paused when %s breaks the run', async (_, status) => {
    const { view, answered } = await aSubscriber();
    await answered(404, 404, 404, 404, status, 404, 404, 404, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(404);
    expect((await view()).status).toBe('PAUSED');
  });

  test('is not paused by answers that speak of the content, however many, and they break no run', async () => {
    const { view, answered } = await aSubscriber();
    await answered(404, 404, 400, 422, 404, 413, 400, 400, 400, 400, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(400, 404);
    expect(await view()).toMatchObject({ status: 'PAUSED', pausedReason: 'PERMANENT_4XX' });
  });

  test('holds what comes while it is paused and delivers it oldest first when it is active again', async () => {
    const { tenantId, view, hot, answered, reactivate } = await aSubscriber();
    await answered(404, 404, 404, 404, 404);
    stage.receiver.received.length = 0;
    stage.receiver.answerWith(200);
    const sessionId = randomUUID();
    for (let i = 0; i < 60; i += 1) await stage.producer.received(tenantId, { sessionId, keyId: String(i) });
    const held = async (): Promise<number> => (await hot()).filter(({ state }) => state === 'held').length;
    await waitFor('everything to be held', async () => (await held()) === 60);
    expect(stage.receiver.received).toHaveLength(0);

    await reactivate();
    expect(await view()).toMatchObject({ status: 'ACTIVE', pausedReason: null, pausedAt: null });
    await waitFor('the drain', () => stage.receiver.received.length === 60);
    expect(stage.keyIds()).toEqual(Array.from({ length: 60 }, (_, index) => String(index)));
  });

  test('shows as HELD all that its pause holds back, also what waits for another attempt', async () => {
    const { tenantId, endpointId, deliveries, answered, pause, reactivate } = await aSubscriber();
    const listed = async (status: DeliveryStatus): Promise<DeliveryView[]> => {
      const request = { tenantId, endpointId, statuses: [status], limit: 200 };
      return (await stage.rpc.request(ListDeliveries, request)).deliveries;
    };
    await answered(500);
    const [waiting] = (await listed('PENDING')) as [DeliveryView];
    expect(waiting.nextAttemptAt).not.toBeNull();
    await pause();
    stage.receiver.answerWith(200);
    await stage.producer.received(tenantId);
    const all = await waitFor('the second', async () => {
      const list = await deliveries();
      return list.length === 2 && list;
    });
    expect(all.map(({ status, nextAttemptAt }) => [status, nextAttemptAt])).toEqual([
      ['HELD', null],
      ['HELD', null],
    ]);
    expect([await listed('HELD'), await listed('PENDING')]).toEqual([all, []]);
    const one = { tenantId, deliveryId: waiting.deliveryId };
    expect((await stage.rpc.request(GetDelivery, one)).delivery.status).toBe('HELD');

    await reactivate();
    await waitFor('the second', async () => (await listed('DELIVERED')).length === 1);
    expect([await listed('HELD'), await listed('PENDING')]).toEqual([[], [waiting]]);
  });

  test('is paused and reactivated by hand', async () => {
    const { tenantId, view, deliveries, pause, reactivate } = await aSubscriber();
    await pause('receiver moves');
    const paused = { status: 'PAUSED', pausedReason: 'REQUESTED' };
    expect(await view()).toMatchObject({ ...paused, pausedBy: 'key:ada', pausedNote: 'receiver moves' });
    await stage.producer.received(tenantId);
    await waitFor('the delivery to be held', async () => (await deliveries())[0]?.status === 'HELD');
    await reactivate();
    await waitFor('the webhook', () => stage.receiver.received.length === 1);
    const nobody = { pausedReason: null, pausedBy: null, pausedNote: null, pausedAt: null };
    expect(await view()).toMatchObject({ status: 'ACTIVE', ...nobody });
  });

  test('stays as it is when it is paused or reactivated a second time', async () => {
    const { view, pause, reactivate } = await aSubscriber();
    const active = await view();
    expect(await reactivate()).toEqual({ endpoint: active });
    const first = await pause('first');
    expect(first.endpoint).toMatchObject({ status: 'PAUSED', pausedBy: 'key:ada', pausedNote: 'first' });
    expect(await pause('second')).toEqual(first);
    expect(await view()).toEqual(first.endpoint);
    for (const reason of ['first', 'second']) expect(await reactivate(reason)).toEqual({ endpoint: active });
  });

  test('that 4xx have paused says nobody’s name, whoever paused it before or does so now', async () => {
    const { view, answered, pause, reactivate } = await aSubscriber();
    await pause('by hand');
    await reactivate();
    await answered(404, 404, 404, 404, 404);
    const paused = { status: 'PAUSED', pausedReason: 'PERMANENT_4XX', pausedBy: null, pausedNote: null };
    expect(await view()).toMatchObject(paused);
    expect((await pause('too late')).endpoint).toMatchObject(paused);
    expect(await view()).toMatchObject(paused);
  });

  test('does not count a late 404 to an attempt from before its reactivation', async () => {
    const { tenantId, view, deliveries, answered, pause, reactivate } = await aSubscriber();
    await answered(404, 404, 404, 404);
    stage.receiver.received.length = 0;
    const answerLate = stage.holdBack(404);
    await stage.producer.received(tenantId);
    await waitFor('the slow attempt', () => stage.receiver.received.length === 1);
    await pause();
    await reactivate();
    answerLate();
    await waitFor('its result', async () => (await deliveries())[0]?.attempts.length === 1);
    await answered(404, 404, 404, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(404);
    expect((await view()).status).toBe('PAUSED');
  });

  test('that is paused and reactivated again and again while events come gets each of them once', async () => {
    const { tenantId, delivered, pause, reactivate } = await aSubscriber();
    stage.receiver.answerWith(async () => (await delay(5), 200));
    const sent = Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        stage.producer.received(tenantId, { remoteJid: `${index}@s.whatsapp.net`, keyId: String(index) }),
      ),
    );
    for (let i = 0; i < 10; i += 1) {
      await pause();
      await reactivate();
    }
    await sent;
    await delivered(80);
    const keyIds = stage.keyIds().map(Number);
    expect(keyIds.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, index) => index));
  });

  test('that is deleted while an attempt is in flight leaves nothing behind', async () => {
    const { tenantId, endpointId, path, deliveries } = await stage.subscriber();
    const answer = stage.holdBack(503);
    const sessionId = randomUUID();
    for (const keyId of ['in flight', 'waiting'])
      await stage.producer.received(tenantId, { sessionId, keyId });
    await stage.pathsOf(1);
    await waitFor('the other to wait', async () => (await deliveries()).length === 2);
    await stage.rpc.request(DeleteEndpoint, { tenantId, endpointId });
    answer();
    // A later event of another endpoint of the tenant is delivered after it.
    const other = await stage.endpoint(tenantId, stage.at('/other'));
    stage.receiver.answerWith(200);
    await stage.producer.received(tenantId, { sessionId });
    await waitFor('the other endpoint', async () => {
      const [one] = await stage.deliveries(tenantId, other.id);
      return one?.status === 'DELIVERED';
    });
    for (const table of ['webhook_delivery', 'webhook_attempt', 'webhook_dlq']) {
      const sql = `SELECT FROM webhooks.${table} WHERE endpoint_id = $1`;
      expect(await stage.database.query(sql, [endpointId])).toEqual([]);
    }
    expect(await stage.pathsOf(2)).toEqual([path, '/other']);
  });

  test('that is paused and reactivated again and again gets a conversation in order', async () => {
    const { tenantId, path, pause, reactivate, delivered } = await aSubscriber();
    const arrived = () => stage.keyIds(path);
    const receiveAll = async (): Promise<void> => {
      for (let n = 0; n < 150; n += 1)
        await stage.producer.received(tenantId, { sessionId: tenantId, keyId: String(n) });
    };
    const sent = receiveAll();
    for (let round = 0; round < 6; round += 1) {
      await pause();
      const before = arrived().length;
      await reactivate();
      await waitFor('some to go out', () => arrived().length > before || arrived().length === 150);
    }
    await sent;
    await delivered(150);
    expect(arrived()).toEqual(Array.from({ length: 150 }, (_, n) => String(n)));
  });

  test('is reactivated at once however much is held, and gets the oldest first', async () => {
    const { tenantId, endpointId, path, hot, pause, reactivate } = await aSubscriber();
    await pause();
    await stage.producer.received(tenantId, { sessionId: tenantId, keyId: '0' });
    await waitFor('the first to be held', async () => (await hot())[0]?.state === 'held');
    await stage.database.query(
      `WITH made AS (
         INSERT INTO webhooks.webhook_event (id, tenant_id, session_id, conversation, kind, payload, created_at)
         SELECT gen_random_uuid(), tenant_id, session_id, conversation, kind,
           convert_to(jsonb_build_object('keyId', n::text)::text, 'UTF8'), created_at + n * interval '1 ms'
         FROM webhooks.webhook_event, generate_series(1, 20000) AS n
         WHERE tenant_id = $1 AND kind = 'message.received' RETURNING id, created_at)
       INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at, held_at, kind, event_at)
       SELECT gen_random_uuid(), id, $2, $1, $3, 'held', created_at, now(), 'message.received', created_at FROM made`,
      [tenantId, endpointId, partitionOf(tenantId)],
    );
    const answer = stage.holdBack();
    await reactivate();
    // The owner may have taken up what a lane has room for; all others are as they were.
    const held = (await hot()).filter(({ state }) => state === 'held');
    expect(held.length).toBeGreaterThan(15_000);
    await waitFor('the oldest', () => stage.keyIds(path).length === 1);
    answer();
    await waitFor('some more', () => stage.keyIds(path).length >= 300);
    expect(stage.keyIds(path).slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, n) => String(n)));
  });
});
