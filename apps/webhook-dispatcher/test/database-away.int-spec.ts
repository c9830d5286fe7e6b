import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { ListEndpoints, UpdateEndpoint } from '@svc/contracts';
import { type ServiceProcess, waitFor } from '@svc/testing';
import { Bench } from './bench.js';

/** Longer than any pause between two tries, shorter than the leases of the process. */
const AWAY_MS = 1_500;

let bench: Bench;
let running: ServiceProcess;

beforeAll(async () => {
  bench = await Bench.start({ WEBHOOK_TIMEOUT_MS: '10000', LOG_LEVEL: 'debug' });
  running = await bench.spawn();
});
afterEach(() => {
  bench.proxy.mend();
  bench.receiver.answerWith(200);
});
afterAll(() => bench.stop());

test('results of attempts that ended meanwhile are written when the database is back, and nothing is sent again', async () => {
  const subscribers = await Promise.all(Array.from({ length: 10 }, () => bench.subscriber()));
  const open = bench.holdBack();
  for (const { tenantId } of subscribers) await bench.producer.received(tenantId);
  await waitFor('the POSTs', () => subscribers.every(({ posts }) => posts().length === 1));
  bench.proxy.cut();
  open();
  await delay(AWAY_MS);
  bench.proxy.mend();
  for (const { delivery, posts } of subscribers) {
    expect((await delivery('DELIVERED')).attempts).toMatchObject([{ attempt: 1, status: 200 }]);
    expect(posts()).toHaveLength(1);
  }
}, 60_000);

test('a result whose commit was not heard is written again without effect', async () => {
  const { tenantId, endpointId, posts, deliveries } = await bench.subscriber();
  const open = bench.holdBack(404);
  await bench.producer.received(tenantId);
  await waitFor('the POST', () => posts().length === 1);
  bench.proxy.hold('replies');
  open();
  const runOf4xx = async () => {
    const sql = 'SELECT consec_perm4xx AS run FROM webhooks.webhook_endpoint WHERE id = $1';
    return (await bench.database.query<{ run: number }>(sql, [endpointId]))[0]?.run;
  };
  await waitFor('the commit', async () => (await runOf4xx()) === 1);
  const [row] = await bench.database.query('SELECT * FROM webhooks.webhook_delivery WHERE endpoint_id = $1', [
    endpointId,
  ]);
  bench.receiver.answerWith('hang');
  bench.proxy.cut();
  bench.proxy.flow();
  bench.proxy.mend();
  // It goes on with the second attempt, so the first one is done with.
  await waitFor('the retry', () => posts().length === 2);
  expect(row).toMatchObject({ attempt: 2, state: 'scheduled' });
  expect(await runOf4xx()).toBe(1);
  expect((await deliveries())[0]?.attempts).toMatchObject([{ attempt: 1, status: 404 }]);
  const [later] = await bench.database.query(
    'SELECT * FROM webhooks.webhook_delivery WHERE endpoint_id = $1',
    [endpointId],
  );
  expect(later).toMatchObject({ attempt: 2, next_at: row?.next_at });
}, 60_000);

test('events and retries of that time are delivered when it is back, each once', async () => {
  const [retrying, fresh] = [await bench.subscriber(), await bench.subscriber()];
  bench.receiver.answerWith(({ path }) => (path === retrying.path ? 503 : 200));
  await bench.producer.received(retrying.tenantId);
  await waitFor('a failure', async () => (await retrying.deliveries())[0]?.attempts.length === 1);
  bench.proxy.cut();
  const failures = retrying.posts().length;
  for (let i = 0; i < 20; i += 1) await bench.producer.received(fresh.tenantId, { keyId: String(i) });
  await delay(AWAY_MS);
  expect(fresh.posts()).toEqual([]);
  // At most the one that was on its way when the line was cut.
  expect(retrying.posts().length - failures).toBeLessThanOrEqual(1);
  bench.receiver.answerWith(200);
  bench.proxy.mend();
  await waitFor('the events', () => fresh.posts().length >= 20, 20_000);
  const { attempts } = await retrying.delivery('DELIVERED');
  expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index + 1));
  expect(attempts.length).toBeLessThanOrEqual(5);
  await waitFor(
    'every event to be acked',
    async () => (await bench.producer.unacked(fresh.tenantId)) === 0,
    20_000,
  );
  expect(new Set(fresh.posts()).size).toBe(20);
  expect(fresh.posts()).toHaveLength(20);
}, 60_000);

test('a delivery whose turn came meanwhile costs no attempt', async () => {
  const { tenantId, endpointId, posts, deliveries } = await bench.subscriber();
  const open = bench.holdBack();
  for (const keyId of ['1', '2', '3'])
    await bench.producer.received(tenantId, { sessionId: tenantId, keyId });
  await waitFor('the first', () => posts().length === 1);
  await waitFor('the others to wait', async () => (await deliveries()).length === 3);
  // What it knows about the endpoint is old now: for the next one it has to look, and cannot.
  await bench.rpc.request(UpdateEndpoint, { tenantId, endpointId, name: 'Renamed' });
  bench.proxy.cut();
  open();
  await waitFor('the next to be tried', () => running.output().includes('an attempt could not start'));
  bench.proxy.mend();
  const all = await waitFor('all three', async () => {
    const list = await deliveries();
    return list.every(({ status }) => status === 'DELIVERED') && list;
  });
  expect(all.flatMap(({ attempts }) => attempts.map(({ attempt }) => attempt))).toEqual([1, 1, 1]);
  expect(posts()).toHaveLength(3);
}, 60_000);

test('a process that is told to stop meanwhile does so, and its successor finds what it could not write', async () => {
  const { tenantId, posts, delivery } = await bench.subscriber();
  const open = bench.holdBack();
  await bench.producer.received(tenantId);
  await waitFor('the POST', () => posts().length === 1);
  bench.proxy.cut();
  open();
  const startedAt = performance.now();
  await running.stop();
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  bench.proxy.mend();
  running = await bench.spawn();
  expect((await delivery('DELIVERED')).attempts).toMatchObject([{ attempt: 1, status: 200 }]);
  expect(new Set(posts()).size).toBe(1);
  expect((await bench.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints).toHaveLength(1);
}, 60_000);
