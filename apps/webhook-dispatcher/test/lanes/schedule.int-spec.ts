import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { DeliveryView } from '@svc/contracts';
import { partitionOf } from '@svc/contracts';
import { PartitionOwner } from '@svc/ownership';
import { waitFor } from '@svc/testing';
import { DeliveryRepository } from '../../src/lanes/delivery.repository.js';
import { DomainClock } from '../../src/lanes/domain-clock.js';
import { Stage, type Subscriber } from '../stage.js';

/** The schedule of the specification, as production has it, under the controllable clock. */
const DELAYS_MS = [0, 30_000, 120_000, 600_000, 3_600_000];

/**
 * Longest delay of a busy machine for a commit, or for the start of an attempt, in ms: with all but the first delay it is small beside five
 * per cent.
 */
const BUSY_MS = 5_000;
/** Time before a retry to which the clock is moved, in ms: the processes read it twice a second. */
const LEAD_MS = 1_500;

const stage = Stage.ofThisFile({ WEBHOOK_RETRY_DELAYS_MS: DELAYS_MS.join() });
beforeAll(() => stage.boot());
afterEach(() => stage.database.query('DELETE FROM public.svc_clock'));

const moveClock = (offsetMs: number) => stage.database.query('SELECT public.svc_clock_set($1)', [offsetMs]);
/** Moves the clock of one tenant alone, as the sandbox does. */
const moveClockOf = (tenantId: string, offsetMs: number) =>
  stage.database.query('INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)', [
    tenantId,
    offsetMs,
  ]);
/** The process has seen that the clock stands at this offset. */
const noticed = (tenantId: string, offsetMs: number) => {
  const { now } = stage.get(DomainClock);
  return waitFor('the move to be noticed', () => Math.abs(now(tenantId) - Date.now() - offsetMs) < 1_000);
};
const pendingAfter = ({ deliveries }: Subscriber, attempts: number): Promise<DeliveryView> =>
  waitFor(`attempt ${attempts}`, async () => {
    const [one] = await deliveries();
    return one?.status === 'PENDING' && one.attempts.length === attempts && one.nextAttemptAt
      ? one
      : undefined;
  });

/** Expects each attempt within the five per cent that a retry may be late. Shown in whole ms. */
function expectOnSchedule({ attempts, nextAttemptAt }: DeliveryView, delayMs: number, offsetMs = 0): void {
  const last = attempts.at(-1);
  const endedAt = Date.parse(last?.startedAt ?? '') + (last?.durationMs ?? 0) + offsetMs;
  const waitMs = Date.parse(nextAttemptAt ?? '') - endedAt;
  expect(waitMs).toBeGreaterThanOrEqual(delayMs - 1);
  expect(waitMs).toBeLessThanOrEqual(delayMs * 1.05 + BUSY_MS);
}

test('five attempts, none early, none more than five per cent late, then one dead letter and nothing more', async () => {
  const subscriber = await stage.subscriber();
  stage.receiver.answerWith(503);
  await stage.producer.received(subscriber.tenantId);
  let offsetMs = 0;
  for (const [index, delayMs] of DELAYS_MS.slice(1).entries()) {
    const pending = await pendingAfter(subscriber, index + 1);
    expectOnSchedule(pending, delayMs, offsetMs);

    // The process gets the notice of the move before the time comes, and then another delivery comes and goes.
    const dueAt = Date.parse(pending.nextAttemptAt ?? '');
    offsetMs = dueAt - LEAD_MS - Date.now();
    await moveClock(offsetMs);
    await noticed(subscriber.tenantId, offsetMs);
    const other = await stage.subscriber();
    await stage.producer.received(other.tenantId);
    await waitFor('the other', () => other.posts().length === 1);

    const retry = await waitFor(`attempt ${index + 2}`, async () => {
      const [one] = await subscriber.deliveries();
      return one?.attempts[index + 1];
    });
    const lateMs = Date.parse(retry.startedAt) + offsetMs - dueAt;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(delayMs * 0.05 + BUSY_MS);
  }
  const dead = await subscriber.delivery('DEAD');
  expect(dead).toMatchObject({ nextAttemptAt: null });
  expect(dead.attempts.map(({ attempt, error }) => [attempt, error])).toEqual(
    [1, 2, 3, 4, 5].map((attempt) => [attempt, 'HTTP_503']),
  );

  await moveClock(offsetMs + 7 * 24 * 3_600_000);
  await noticed(subscriber.tenantId, offsetMs + 7 * 24 * 3_600_000);
  expect(await subscriber.deliveries(true)).toHaveLength(1);
  expect(subscriber.posts()).toHaveLength(5);
  expect(new Set(subscriber.posts()).size).toBe(1);
});

test('moving the clock brings a retry that is due by then', async () => {
  const subscriber = await stage.subscriber();
  stage.receiver.answerWith(503);
  await stage.producer.received(subscriber.tenantId);
  await pendingAfter(subscriber, 1);
  stage.receiver.answerWith(200);
  await moveClock(40_000);
  await waitFor('the retry', () => subscriber.posts().length === 2);
});

test.each([
  [429, '1'],
  [429, '7200'],
  [503, '1'],
  [503, '7200'],
])('the Retry-After of a receiver does not change the schedule: %i, %s s', async (status, retryAfter) => {
  const subscriber = await stage.subscriber();
  stage.receiver.answerWith({ status, headers: { 'retry-after': retryAfter } });
  await stage.producer.received(subscriber.tenantId);
  expectOnSchedule(await pendingAfter(subscriber, 1), 30_000);
  await moveClock(40_000);
  await waitFor('the retry', () => subscriber.posts().length === 2);
});

test('the clock of one tenant moves its retries and nobody else’s', async () => {
  const [sandbox, live] = [await stage.subscriber(), await stage.subscriber()];
  stage.receiver.answerWith(503);
  for (const one of [sandbox, live]) {
    await stage.producer.received(one.tenantId);
    await pendingAfter(one, 1);
  }
  stage.receiver.answerWith(200);
  await moveClockOf(sandbox.tenantId, 40_000);
  const { attempts } = await sandbox.delivery('DELIVERED');
  expect(attempts).toHaveLength(2);
  expect((await pendingAfter(live, 1)).nextAttemptAt).not.toBeNull();
  expect(live.posts()).toHaveLength(1);
});

test('signatures carry real time, whatever the clock of the domain says', async () => {
  const subscriber = await stage.subscriber();
  await moveClockOf(subscriber.tenantId, 3 * 24 * 3_600_000);
  await noticed('00000000-0000-0000-0000-000000000000', 0);
  await stage.producer.received(subscriber.tenantId);
  const { createdAt } = await subscriber.delivery('DELIVERED');
  expect(Date.parse(createdAt) - Date.now()).toBeGreaterThan(2 * 24 * 3_600_000);
  const [webhook] = stage.receiver.received.filter(({ path }) => path === subscriber.path);
  expect(Math.abs(Number(webhook?.headers['x-svc-timestamp']) - Date.now())).toBeLessThan(24 * 3_600_000);
});

test('retries that came due while no process was running go out after the start, oldest first, as second attempts', async () => {
  const subscribers = [await stage.subscriber(), await stage.subscriber(), await stage.subscriber()];
  stage.receiver.answerWith(503);
  for (const { tenantId } of subscribers) {
    for (const keyId of ['1', '2', '3', '4'])
      await stage.producer.received(tenantId, { sessionId: tenantId, keyId });
  }
  for (const { deliveries } of subscribers) {
    await waitFor('four failures', async () => {
      const all = await deliveries();
      return all.length === 4 && all.every(({ attempts }) => attempts.length === 1);
    });
  }
  // Failures are written with jitter, so the order of their next attempts is the database's to say.
  const due = (tenantId: string) =>
    stage.database.query<{ id: string }>(
      'SELECT id FROM webhooks.webhook_delivery WHERE tenant_id = $1 ORDER BY next_at, seq',
      [tenantId],
    );
  const expected = await Promise.all(
    subscribers.map(async ({ tenantId }) => (await due(tenantId)).map(({ id }) => id)),
  );
  await stage.close();
  await moveClock(3_600_000);
  stage.receiver.received.length = 0;
  stage.receiver.answerWith(200);
  await stage.boot();
  for (const [index, { delivered }] of subscribers.entries()) {
    const all = await delivered(4);
    expect(all.map(({ attempts }) => attempts.map(({ attempt, status }) => [attempt, status]))).toEqual(
      all.map(() => [
        [1, 503],
        [2, 200],
      ]),
    );
    // The order of arrival does not count: of two that are under way together, the later one may be there first.
    const begun = new Map(all.map(({ deliveryId, attempts }) => [deliveryId, attempts[1]?.startedAt ?? '']));
    const inOrder = (expected[index] ?? []).map((id) => begun.get(id));
    expect(inOrder).toHaveLength(4);
    expect(inOrder).toEqual(inOrder.toSorted());
  }
});

test('whoever takes what is due of an endpoint hears when the next of its retries is', async () => {
  const { tenantId, endpointId, deliveries } = await stage.subscriber();
  stage.receiver.answerWith(503);
  for (let n = 0; n < 2; n += 1) await stage.producer.received(tenantId);
  const retries = await waitFor('two retries', async () => {
    const failed = (await deliveries()).filter(({ attempts, nextAttemptAt }) => attempts[0] && nextAttemptAt);
    return failed.length === 2 && failed;
  });
  const partition = partitionOf(tenantId);
  const epoch = stage.get(PartitionOwner).epochOf(partition) ?? 0;
  const lane = { partition, epoch, endpointId, tenantId, firsts: 10, retries: 10, total: 10 };
  const earliest = Math.min(...retries.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '')));
  expect(await stage.get(DeliveryRepository).claim([lane])).toEqual({
    items: [],
    nextRetryMs: new Map([[endpointId, earliest]]),
  });
});
