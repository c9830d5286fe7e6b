import { beforeAll, expect, test } from '@jest/globals';
import { ListEndpoints, UpdateEndpoint } from '@svc/contracts';
import { type ServiceProcess, waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage } from '../stage.js';

// There is a second between attempts: no delivery has had its five before the line is cut.
const stage = Stage.ofThisFile({ LOG_LEVEL: 'debug', WEBHOOK_RETRY_DELAYS_MS: '0,1000,1000,1000,1000' });
let running: ServiceProcess;
beforeAll(async () => {
  running = await stage.spawn();
});

/** Cuts the line; the result waits until the process has logged these words so many times. */
function cut(): (words: string, times?: number) => Promise<unknown> {
  const from = running.output().length;
  stage.proxy.cut();
  return (words, times = 1) => waitFor(words, () => running.output().slice(from).split(words).length > times);
}

test('results of attempts that ended meanwhile are written when the database is back, and nothing is sent again', async () => {
  const subscribers = await Promise.all(Array.from({ length: 10 }, () => stage.subscriber()));
  const open = stage.holdBack();
  for (const { tenantId } of subscribers) await stage.producer.received(tenantId);
  await waitFor('the POSTs', () => subscribers.every(({ posts }) => posts().length === 1));
  const waitForLog = cut();
  open();
  await waitForLog('results could not be written', 3);
  stage.proxy.mend();
  for (const { delivery, posts } of subscribers) {
    expect((await delivery('DELIVERED')).attempts).toMatchObject([{ attempt: 1, status: 200 }]);
    expect(posts()).toHaveLength(1);
  }
});

test('a result whose commit was not heard is written again without effect', async () => {
  const { tenantId, endpointId, posts, deliveries } = await stage.subscriber();
  const open = stage.holdBack(503);
  await stage.producer.received(tenantId);
  const deliveryId = await waitFor('the POST', () => posts()[0]);
  stage.proxy.holdRepliesTo(deliveryId);
  open();
  const isWritten = async (): Promise<boolean> => {
    const sql = 'SELECT 1 FROM webhooks.webhook_attempt WHERE endpoint_id = $1';
    return (await stage.database.query(sql, [endpointId])).length === 1;
  };
  await waitFor('the commit', isWritten);
  const [row] = await stage.database.query('SELECT * FROM webhooks.webhook_delivery WHERE endpoint_id = $1', [
    endpointId,
  ]);
  stage.receiver.answerWith('hang');
  const waitForLog = cut();
  stage.proxy.flow();
  stage.proxy.mend();
  await waitForLog('results could not be written');
  // The dispatcher goes on with the second attempt, so the first one has ended.
  await waitFor('the retry', () => posts().length === 2);
  expect(row).toMatchObject({ attempt: 2, state: 'scheduled' });
  expect((await deliveries())[0]?.attempts).toMatchObject([{ attempt: 1, status: 503 }]);
  const [later] = await stage.database.query(
    'SELECT * FROM webhooks.webhook_delivery WHERE endpoint_id = $1',
    [endpointId],
  );
  expect(later).toMatchObject({ attempt: 2, next_at: row?.next_at });
});

test('events and retries of that time are delivered when it is back, each once', async () => {
  const [retrying, fresh] = [await stage.subscriber(), await stage.subscriber()];
  stage.receiver.answerWith(({ path }) => (path === retrying.path ? 503 : 200));
  await stage.producer.received(retrying.tenantId);
  const failed = await waitFor('a failure', async () => {
    const [one] = await retrying.deliveries();
    return one?.nextAttemptAt ? one : undefined;
  });
  const waitForLog = cut();
  const failures = retrying.posts().length;
  for (let i = 0; i < 20; i += 1) await stage.producer.received(fresh.tenantId, { keyId: String(i) });
  await waitForLog('will be tried again', 20);
  await waitFor('the retry to be due', () => Date.now() > Date.parse(failed.nextAttemptAt ?? ''));
  expect(fresh.posts()).toEqual([]);
  // The attempt that was on its way when the line was cut is the only one more.
  expect(retrying.posts().length - failures).toBeLessThanOrEqual(1);
  stage.receiver.answerWith(200);
  stage.proxy.mend();
  await fresh.delivered(20);
  const { attempts } = await retrying.delivery('DELIVERED');
  expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index + 1));
  expect(attempts.length).toBeLessThanOrEqual(5);
  const acked = async (): Promise<boolean> => (await stage.producer.unacked(fresh.tenantId)) === 0;
  await waitFor('every event to be acked', acked, PATIENCE_MS);
  expect(new Set(fresh.posts()).size).toBe(20);
  expect(fresh.posts()).toHaveLength(20);
});

test('events of a conversation stay in order when it is back soon', async () => {
  const { tenantId, delivered, path } = await stage.subscriber();
  const waitForLog = cut();
  const received = (keyId: string) => stage.producer.received(tenantId, { sessionId: tenantId, keyId });
  for (const keyId of ['1', '2']) await received(keyId);
  await waitForLog('events could not be taken in');
  for (const keyId of ['3', '4', '5']) await received(keyId);
  stage.proxy.mend();
  await delivered(5);
  expect(stage.keyIds(path)).toEqual(['1', '2', '3', '4', '5']);
});

test('a delivery whose turn came meanwhile costs no attempt', async () => {
  const { tenantId, endpointId, posts, deliveries, delivered } = await stage.subscriber();
  const open = stage.holdBack();
  for (const keyId of ['1', '2', '3'])
    await stage.producer.received(tenantId, { sessionId: tenantId, keyId });
  await waitFor('the first', () => posts().length === 1);
  await waitFor('the others to wait', async () => (await deliveries()).length === 3);
  // The cached endpoint is old now: for the next delivery the process has to read it, and cannot.
  await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, name: 'Renamed' });
  const waitForLog = cut();
  open();
  await waitForLog('an attempt could not start');
  stage.proxy.mend();
  const all = await delivered(3);
  expect(all.flatMap(({ attempts }) => attempts.map(({ attempt }) => attempt))).toEqual([1, 1, 1]);
  expect(posts()).toHaveLength(3);
});

test('a process that is told to stop meanwhile does so, and its successor finds what it could not write', async () => {
  const { tenantId, posts, delivery } = await stage.subscriber();
  const open = stage.holdBack();
  await stage.producer.received(tenantId);
  await waitFor('the POST', () => posts().length === 1);
  stage.proxy.cut();
  open();
  await running.stop();
  stage.proxy.mend();
  running = await stage.spawn();
  expect((await delivery('DELIVERED')).attempts).toMatchObject([{ attempt: 1, status: 200 }]);
  expect(new Set(posts()).size).toBe(1);
  expect((await stage.rpc.request(ListEndpoints, { tenantId, limit: 10 })).endpoints).toHaveLength(1);
});
