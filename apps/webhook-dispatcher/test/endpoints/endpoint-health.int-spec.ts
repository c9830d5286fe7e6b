import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { GetEndpointHealth, partitionOf, PauseEndpoint, type WebhookHealth } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

// Retries far away: what failed stays pending.
const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: '0,600000' });
beforeAll(() => stage.boot());

const healthOf = async (ref: { tenantId: string; endpointId: string }): Promise<WebhookHealth> => {
  const { tenantId, endpointId } = ref;
  return (await stage.rpc.request(GetEndpointHealth, { tenantId, endpointId })).health;
};
const NONE = { count: 0, more: false };

describe('the health of an endpoint', () => {
  test('is blank before its first delivery', async () => {
    expect(await healthOf(await stage.subscriber(['message.received']))).toEqual({
      status: 'ACTIVE',
      lastSuccess: null,
      lastFailure: null,
      permanent4xxRun: 0,
      lastHour: { attempts: 0, failures: 0, p50Ms: null, p95Ms: null, partial: false },
      ...{ pending: NONE, held: NONE, dead: NONE },
      oldestWaitingMs: null,
    });
  });

  test('tells the last success and failure, the run of 4xx, and what waits', async () => {
    const subscriber = await stage.subscriber(['message.received']);
    const { tenantId, deliveries } = subscriber;
    const startedAt = Date.now();
    for (const [index, status] of [200, 503, 404, 410].entries()) {
      stage.receiver.answerWith(status);
      await stage.producer.received(tenantId);
      await waitFor(
        'the attempt',
        async () => (await deliveries()).flatMap((one) => one.attempts).length > index,
      );
    }
    const health = await healthOf(subscriber);
    expect(health).toMatchObject({
      lastSuccess: { status: 200, error: null },
      lastFailure: { status: 410, error: 'HTTP_410' },
      permanent4xxRun: 2,
      lastHour: { attempts: 4, failures: 3, partial: false },
      ...{ pending: { count: 3, more: false }, held: NONE, dead: NONE },
    });
    const { lastHour, lastSuccess, lastFailure, oldestWaitingMs } = health;
    expect(Date.parse(lastSuccess?.at ?? '')).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(lastFailure?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(lastSuccess?.at ?? ''));
    expect(lastHour.p95Ms).toBeGreaterThanOrEqual(lastHour.p50Ms ?? Infinity);
    expect(oldestWaitingMs).toBeGreaterThanOrEqual(0);
    expect(oldestWaitingMs).toBeLessThanOrEqual(Date.now() - startedAt + 1_000);
  });

  test('tells what is held and what is dead', async () => {
    const subscriber = await stage.subscriber(['message.received']);
    const { tenantId, endpointId, hot } = subscriber;
    await stage.rpc.request(PauseEndpoint, { tenantId, endpointId, reason: 'moving', actor: 'key:ada' });
    for (let i = 0; i < 3; i += 1) await stage.producer.received(tenantId);
    await waitFor(
      'three to be held',
      async () => (await hot()).filter(({ state }) => state === 'held').length === 3,
    );
    const held = { count: 3, more: false };
    expect(await healthOf(subscriber)).toMatchObject({ status: 'PAUSED', pending: NONE, held, dead: NONE });
    expect((await healthOf(subscriber)).oldestWaitingMs).not.toBeNull();
    await stage.database.query(
      `INSERT INTO webhooks.webhook_dlq (delivery_id, seq, event_id, endpoint_id, tenant_id, attempts, reason, kind, event_at)
        VALUES (gen_random_uuid(), 1, gen_random_uuid(), $1, $2, 5, 'HTTP_500', 'message.received', now())`,
      [endpointId, tenantId],
    );
    expect((await healthOf(subscriber)).dead).toEqual({ count: 1, more: false });
  });

  test('says of a paused endpoint that all is held that waits, as webhook.paused said', async () => {
    const subscriber = await stage.subscriber(['message.received']);
    const { tenantId, path, deliveries } = subscriber;
    await stage.endpoint(tenantId, stage.at(`${path}/watcher`), ['webhook.paused']);
    stage.receiver.answerWith((webhook) => (webhook.path === path ? 404 : 200));
    for (let count = 1; count <= 5; count += 1) {
      await stage.producer.received(tenantId);
      await waitFor(
        'the attempt',
        async () =>
          (await deliveries()).every(({ attempts }) => attempts.length > 0) &&
          (await deliveries()).length === count,
      );
    }
    const [paused] = await waitFor('the pause', () => {
      const told = stage.receiver.bodies(`${path}/watcher`);
      return told.length > 0 && told;
    });
    expect(paused?.payload['held']).toBe(5);
    expect(await healthOf(subscriber)).toMatchObject({ pending: NONE, held: { count: 5, more: false } });
    await stage.producer.received(tenantId);
    await waitFor('it to be held', async () => (await deliveries()).length === 6);
    expect(await healthOf(subscriber)).toMatchObject({ pending: NONE, held: { count: 6, more: false } });
  });

  test('counts up to 10,000 of each kind and says that there are more, at a cost that does not grow', async () => {
    const subscriber = await stage.subscriber(['message.received']);
    const { tenantId, endpointId } = subscriber;
    await stage.rpc.request(PauseEndpoint, { tenantId, endpointId, reason: 'full', actor: 'key:ada' });
    await stage.database.query(
      `INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at, kind, event_at)
        SELECT gen_random_uuid(), gen_random_uuid(), $1, $2, $3, 'held', now() + interval '1 day', 'message.received', now()
        FROM generate_series(1, 100000)`,
      [endpointId, tenantId, partitionOf(tenantId)],
    );
    await stage.database.query(
      `INSERT INTO webhooks.webhook_attempt (delivery_id, n, endpoint_id, event_id, seq, started_at, ms, delivered, kind, event_at)
        SELECT gen_random_uuid(), 1, $1, gen_random_uuid(), n, now() - n * interval '1 ms', 7, n % 2 = 0, 'message.received', now()
        FROM generate_series(1, 30000) AS n`,
      [endpointId],
    );
    const health = await healthOf(subscriber);
    expect(health.held).toEqual({ count: 10_000, more: true });
    expect(health.pending).toEqual(NONE);
    expect(health.lastHour).toEqual({ attempts: 10_000, failures: 5_000, p50Ms: 7, p95Ms: 7, partial: true });
  });

  test('is nobody else’s business', async () => {
    const { endpointId } = await stage.subscriber(['message.received']);
    const refused = healthOf({ tenantId: randomUUID(), endpointId });
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
