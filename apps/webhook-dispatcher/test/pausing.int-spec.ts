import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DeleteEndpoint, GetEndpoint, ListDeliveries, UpdateEndpoint } from '@svc/contracts';
import { startTestService, type TestService, waitFor, WebhookReceiver } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { anEndpoint, dispatcherEnv, Producer } from './support.js';

let dispatcher: TestService;
let receiver: WebhookReceiver;
let producer: Producer;

beforeAll(async () => {
  // Retries far away: here every attempt is a first one, so that runs of answers are exact.
  const env = dispatcherEnv({ WEBHOOK_RETRY_DELAYS_MS: '0,600000,600000,600000,600000' });
  dispatcher = await startTestService(serviceOptions, schema, env);
  receiver = await WebhookReceiver.start();
  producer = await Producer.connect(dispatcher.nats.url);
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answerWith(200);
});
afterAll(async () => {
  await producer.stop();
  await dispatcher.stop();
  await receiver.stop();
});

async function aSubscriber() {
  const tenantId = randomUUID();
  const { id: endpointId } = await anEndpoint(dispatcher.rpc, tenantId, `${receiver.origin}/hooks`);
  const ref = { tenantId, endpointId };
  const view = async () => (await dispatcher.rpc.request(GetEndpoint, ref)).endpoint;
  const deliveries = async () =>
    (await dispatcher.rpc.request(ListDeliveries, { ...ref, dead: false, limit: 100 })).deliveries;
  const attempts = async (): Promise<number> => (await deliveries()).flatMap((one) => one.attempts).length;
  /** One event per answer, each waited for until its attempt is written. */
  const answered = async (...statuses: number[]): Promise<void> => {
    for (const status of statuses) {
      const before = await attempts();
      receiver.answerWith(status);
      await producer.received(tenantId);
      await waitFor('the attempt', async () => (await attempts()) === before + 1);
    }
  };
  const setStatus = (status: 'ACTIVE' | 'PAUSED') =>
    dispatcher.rpc.request(UpdateEndpoint, { ...ref, status });
  return { tenantId, endpointId, view, deliveries, answered, setStatus };
}

describe('an endpoint', () => {
  test('is paused by five permanent 4xx in a row, not by four', async () => {
    const { view, answered } = await aSubscriber();
    await answered(404, 410, 401, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(404);
    expect(await view()).toMatchObject({ status: 'PAUSED', pausedReason: 'PERMANENT_4XX' });
    expect(Date.parse((await view()).pausedAt ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  test.each([
    ['a success', 200],
    ['a server error', 500],
    ['a 429', 429],
    ['a redirect', 302],
  ])('is not paused when %s breaks the run', async (_, status) => {
    const { view, answered } = await aSubscriber();
    await answered(404, 404, 404, 404, status, 404, 404, 404, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(404);
    expect((await view()).status).toBe('PAUSED');
  });

  test('holds what comes while it is paused and delivers it oldest first when it is active again', async () => {
    const { tenantId, view, deliveries, answered, setStatus } = await aSubscriber();
    await answered(404, 404, 404, 404, 404);
    receiver.received.length = 0;
    receiver.answerWith(200);
    const sessionId = randomUUID();
    for (let i = 0; i < 60; i += 1) await producer.received(tenantId, { sessionId, keyId: String(i) });
    const held = await waitFor('everything to be held', async () => {
      const list = await deliveries();
      return list.filter(({ status }) => status === 'HELD').length === 60 && list;
    });
    expect(held.filter(({ status }) => status === 'PENDING')).toHaveLength(5);
    expect(receiver.received).toHaveLength(0);

    await setStatus('ACTIVE');
    expect(await view()).toMatchObject({ status: 'ACTIVE', pausedReason: null, pausedAt: null });
    await waitFor('the drain', () => receiver.received.length === 60);
    expect(receiver.bodies().map(({ payload }) => payload['keyId'])).toEqual(
      Array.from({ length: 60 }, (_, index) => String(index)),
    );
  });

  test('is paused and reactivated by hand', async () => {
    const { tenantId, view, deliveries, setStatus } = await aSubscriber();
    await setStatus('PAUSED');
    expect(await view()).toMatchObject({ status: 'PAUSED', pausedReason: 'REQUESTED' });
    await producer.received(tenantId);
    await waitFor('the delivery to be held', async () => (await deliveries())[0]?.status === 'HELD');
    await setStatus('ACTIVE');
    await waitFor('the webhook', () => receiver.received.length === 1);
  });

  test('does not count a late 404 to an attempt from before its reactivation', async () => {
    const { tenantId, view, deliveries, answered, setStatus } = await aSubscriber();
    await answered(404, 404, 404, 404);
    let answerLate: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answerLate = resolve));
    receiver.received.length = 0;
    receiver.answerWith(async () => (await late, 404));
    await producer.received(tenantId);
    await waitFor('the slow attempt', () => receiver.received.length === 1);
    await setStatus('PAUSED');
    await setStatus('ACTIVE');
    answerLate();
    await waitFor('its result', async () => (await deliveries())[0]?.attempts.length === 1);
    await answered(404, 404, 404, 404);
    expect((await view()).status).toBe('ACTIVE');
    await answered(404);
    expect((await view()).status).toBe('PAUSED');
  });

  test('that is paused and reactivated again and again while events come gets each of them once', async () => {
    const { tenantId, deliveries, setStatus } = await aSubscriber();
    receiver.answerWith(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return 200;
    });
    const sent = Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        producer.received(tenantId, { remoteJid: `${index}@s.whatsapp.net`, keyId: String(index) }),
      ),
    );
    for (let i = 0; i < 10; i += 1) {
      await setStatus('PAUSED');
      await setStatus('ACTIVE');
    }
    await sent;
    await waitFor('all', async () => {
      const all = await deliveries();
      return all.length === 80 && all.every(({ status }) => status === 'DELIVERED');
    });
    const keyIds = receiver.bodies().map(({ payload }) => Number(payload['keyId']));
    expect(keyIds.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, index) => index));
  });

  test('that is deleted while an attempt is in flight leaves nothing behind', async () => {
    const { tenantId, endpointId, deliveries } = await aSubscriber();
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    receiver.answerWith(async () => (await late, 503));
    const sessionId = randomUUID();
    for (const keyId of ['in flight', 'waiting']) await producer.received(tenantId, { sessionId, keyId });
    await waitFor('the attempt', () => receiver.received.length === 1);
    await waitFor('the other to wait', async () => (await deliveries()).length === 2);
    await dispatcher.rpc.request(DeleteEndpoint, { tenantId, endpointId });
    answer();
    const left = async (): Promise<unknown[]> => {
      const [hot, attempts, dead] = await Promise.all(
        ['webhook_delivery', 'webhook_attempt', 'webhook_dlq'].map((table) =>
          dispatcher.database.query(`SELECT FROM webhooks.${table} WHERE endpoint_id = $1`, [endpointId]),
        ),
      );
      return [hot, attempts, dead].flat();
    };
    // A later event of another endpoint of the tenant goes all the way after it.
    const other = await anEndpoint(dispatcher.rpc, tenantId, `${receiver.origin}/other`);
    receiver.answerWith(200);
    await producer.received(tenantId, { sessionId });
    const request = { tenantId, endpointId: other.id, dead: false, limit: 10 };
    await waitFor('the other endpoint', async () => {
      const {
        deliveries: [one],
      } = await dispatcher.rpc.request(ListDeliveries, request);
      return one?.status === 'DELIVERED';
    });
    expect(await left()).toEqual([]);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hooks', '/other']);
  });
});
