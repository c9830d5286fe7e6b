import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ListDeliveries } from '@svc/contracts';
import { startTestService, type TestService, waitFor, WebhookReceiver } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { anEndpoint, dispatcherEnv, Producer } from './support.js';

const TIMEOUT_MS = 3_000;

let dispatcher: TestService;
let receiver: WebhookReceiver;
let producer: Producer;

beforeAll(async () => {
  const env = dispatcherEnv({
    WEBHOOK_RETRY_DELAYS_MS: '0,600000',
    WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
  });
  dispatcher = await startTestService(serviceOptions, schema, env);
  receiver = await WebhookReceiver.start();
  producer = await Producer.connect(dispatcher.nats.url);
});
beforeEach(() => {
  receiver.received.length = 0;
  // All tenants have their receivers on one host; those under /dead never answer.
  receiver.answerWith(({ path }) => (path.startsWith('/dead') ? 'hang' : 200));
});
afterAll(async () => {
  await producer.stop();
  await dispatcher.stop();
  await receiver.stop();
});

const arrivedAt = (path: string) => receiver.received.filter((webhook) => webhook.path === path);
const subscribe = (tenantId: string, path: string) =>
  anEndpoint(dispatcher.rpc, tenantId, receiver.origin + path);
/** Events of as many conversations, so that they need not wait for each other. */
const publish = (tenantId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      producer.received(tenantId, { remoteJid: `${index}@s.whatsapp.net`, keyId: String(index) }),
    ),
  );

describe('tenants with receivers on one host', () => {
  test('do not wait for the dead receivers of another tenant', async () => {
    const [dead, healthy] = [randomUUID(), randomUUID()];
    for (let i = 0; i < 4; i += 1) await subscribe(dead, `/dead/${i}`);
    await subscribe(healthy, '/healthy');
    await publish(dead, 40);
    // Eight per endpoint, so that the four of them hold 32 connections to this host.
    await waitFor('the dead ones to be busy', () => receiver.received.length >= 24);
    await publish(healthy, 20);
    await waitFor('the healthy ones', () => arrivedAt('/healthy').length === 20, 4 * TIMEOUT_MS);
    // Before the dead ones have timed out and made room.
    expect(receiver.received.filter(({ path }) => path.startsWith('/dead')).length).toBeLessThan(40);
  });

  test('are charged an attempt for each POST that arrived, and for none that did not', async () => {
    const tenantId = randomUUID();
    const paths = ['/dead/a', '/dead/b', '/dead/c'];
    const endpoints = await Promise.all(paths.map((path) => subscribe(tenantId, path)));
    await publish(tenantId, 12);
    const attemptsAt = async (endpointId: string) => {
      const request = { tenantId, endpointId, dead: false, limit: 50 };
      const { deliveries } = await dispatcher.rpc.request(ListDeliveries, request);
      return deliveries.flatMap(({ attempts }) => attempts);
    };
    for (const [index, { id }] of endpoints.entries()) {
      const attempts = await waitFor(
        'an attempt of each delivery',
        async () => {
          const made = await attemptsAt(id);
          return made.length === 12 && made;
        },
        40_000,
      );
      expect(new Set(attempts.map(({ error }) => error))).toEqual(new Set(['TIMEOUT']));
      expect(Math.max(...attempts.map(({ durationMs }) => durationMs))).toBeLessThan(2 * TIMEOUT_MS);
      expect(arrivedAt(paths[index] as string)).toHaveLength(12);
    }
  }, 100_000);
});

describe('fairness', () => {
  test('a tenant with a long queue takes turns with one that has a single event', async () => {
    const [busy, calm] = [randomUUID(), randomUUID()];
    await subscribe(busy, '/busy');
    await subscribe(calm, '/calm');
    receiver.answerWith(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 200;
    });
    await publish(busy, 200);
    await waitFor('the queue to move', () => arrivedAt('/busy').length >= 8);
    const before = arrivedAt('/busy').length;
    await publish(calm, 1);
    await waitFor('the calm one', () => arrivedAt('/calm').length === 1);
    // The two hundred behind which it would wait in a queue of all tenants are far from through.
    expect(arrivedAt('/busy').length - before).toBeLessThan(100);
    await waitFor('the rest', () => arrivedAt('/busy').length === 200, 20_000);
  });

  test('events of two tenants that arrive in turns go to their own endpoints only, each in order', async () => {
    const tenants = [1, 2].map((number) => ({ id: randomUUID(), path: `/interleaved/${number}` }));
    const secrets = new Map<string, string>();
    for (const { id, path } of tenants) secrets.set(path, (await subscribe(id, path)).secret);
    expect(new Set(secrets.values()).size).toBe(2);
    const sessionId = randomUUID();
    for (let i = 0; i < 60; i += 1) {
      for (const { id, path } of tenants) {
        await producer.received(id, { sessionId, keyId: String(i), pushName: path });
      }
    }
    await waitFor('all', () => tenants.every(({ path }) => arrivedAt(path).length === 60), 20_000);
    for (const { path } of tenants) {
      const payloads = receiver.bodies(path).map(({ payload }) => payload);
      expect(new Set(payloads.map(({ pushName }) => pushName))).toEqual(new Set([path]));
      expect(payloads.map(({ keyId }) => keyId)).toEqual(
        Array.from({ length: 60 }, (_, index) => String(index)),
      );
    }
  });
});
