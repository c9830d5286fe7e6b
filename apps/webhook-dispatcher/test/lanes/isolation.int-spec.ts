import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const TIMEOUT_MS = 5_000;

const stage = Stage.ofThisFile({
  WEBHOOK_RETRY_DELAYS_MS: '0,600000',
  WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
});
beforeAll(() => stage.boot());
// All tenants have their receivers on one host; those below /dead never answer.
beforeEach(() => stage.receiver.answerWith(({ path }) => (path.startsWith('/dead') ? 'hang' : 200)));

const arrivedAt = (path: string) => stage.receiver.received.filter((webhook) => webhook.path === path);
const subscribe = (tenantId: string, path: string) => stage.endpoint(tenantId, stage.at(path));
/** Publishes events of as many conversations, so that they need not wait for each other. */
const publish = (tenantId: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      stage.producer.received(tenantId, { remoteJid: `${index}@s.whatsapp.net`, keyId: String(index) }),
    ),
  );

describe('tenants with receivers on one host', () => {
  test('do not wait for the dead receivers of another tenant', async () => {
    const [dead, healthy] = [randomUUID(), randomUUID()];
    for (let i = 0; i < 4; i += 1) await subscribe(dead, `/dead/${i}`);
    await subscribe(healthy, '/healthy');
    await publish(dead, 40);
    // Each of them may have two attempts under way, as long as none has answered.
    await waitFor('the dead ones to be busy', () => stage.receiver.received.length >= 8);
    await publish(healthy, 20);
    await waitFor('the healthy ones', () => arrivedAt('/healthy').length === 20);
    // The POSTs come before the dead ones have timed out and made room.
    expect(stage.receiver.received.filter(({ path }) => path.startsWith('/dead')).length).toBeLessThan(40);
  });

  test('are charged an attempt for each POST that arrived, and for none that did not', async () => {
    const tenantId = randomUUID();
    const paths = Array.from({ length: 24 }, (_, index) => `/dead/charged/${index}`);
    const endpoints = await Promise.all(paths.map((path) => subscribe(tenantId, path)));
    await publish(tenantId, 1);
    for (const [index, { id }] of endpoints.entries()) {
      const [attempt, ...others] = await waitFor('an attempt', async () => {
        const all = (await stage.deliveries(tenantId, id)).flatMap(({ attempts }) => attempts);
        return all.length > 0 && all;
      });
      expect(attempt).toMatchObject({ status: null, error: 'TIMEOUT' });
      expect(others).toEqual([]);
      expect(arrivedAt(paths[index] as string)).toHaveLength(1);
    }
  });
});

describe('fairness', () => {
  test('a tenant with a single event does not wait for the long queue of another one', async () => {
    const [busy, calm] = [randomUUID(), randomUUID()];
    await subscribe(busy, '/busy');
    await subscribe(calm, '/calm');
    const open = stage.holdBack();
    await publish(busy, 200);
    await waitFor('the queue to stand', () => arrivedAt('/busy').length >= 2);
    await publish(calm, 1);
    await waitFor('the calm one', () => arrivedAt('/calm').length === 1);
    // The endpoint has two attempts under way at most, as long as none was answered; all others are behind them.
    expect(arrivedAt('/busy').length).toBe(2);
    open();
    await waitFor('the rest', () => arrivedAt('/busy').length === 200);
  });

  test('events of two tenants that arrive in turns go to their own endpoints only, each in order', async () => {
    const tenants = [1, 2].map((number) => ({ id: randomUUID(), path: `/interleaved/${number}` }));
    const secrets = new Map<string, string>();
    for (const { id, path } of tenants) secrets.set(path, (await subscribe(id, path)).secret);
    expect(new Set(secrets.values()).size).toBe(2);
    const sessionId = randomUUID();
    for (let i = 0; i < 60; i += 1) {
      for (const { id, path } of tenants) {
        await stage.producer.received(id, { sessionId, keyId: String(i), pushName: path });
      }
    }
    await waitFor('all', () => tenants.every(({ path }) => arrivedAt(path).length === 60));
    for (const { path } of tenants) {
      const payloads = stage.receiver.bodies(path).map(({ payload }) => payload);
      expect(new Set(payloads.map(({ pushName }) => pushName))).toEqual(new Set([path]));
      expect(payloads.map(({ keyId }) => keyId)).toEqual(
        Array.from({ length: 60 }, (_, index) => String(index)),
      );
    }
  });
});
