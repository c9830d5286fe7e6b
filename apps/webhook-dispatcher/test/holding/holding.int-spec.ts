import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { partitionOf, UpdateEndpoint } from '@svc/contracts';
import { PartitionOwner } from '@svc/ownership';
import { waitFor } from '@svc/testing';
import { HeldRepository } from '../../src/holding/held.repository.js';
import { HoldSweeper } from '../../src/holding/hold-sweeper.js';
import { Stage } from '../stage.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_MS = 600_000;
const LIMIT = 20;

const stage = Stage.ofThisFile({
  WEBHOOK_RETRY_DELAYS_MS: `0,${RETRY_MS},${RETRY_MS},${RETRY_MS},${RETRY_MS}`,
  WEBHOOK_HOLD_LIMIT: String(LIMIT),
});
beforeAll(() => stage.boot());
afterEach(() => stage.database.query('DELETE FROM public.svc_clock'));

const sweep = () => stage.get(HoldSweeper).sweep();

async function aSubscriber() {
  const subscriber = await stage.subscriber(['message.received']);
  const { tenantId, endpointId, hot } = subscriber;
  const setStatus = (status: 'ACTIVE' | 'PAUSED') => stage.setStatus(tenantId, endpointId, status);
  /** Publishes messages of one conversation, numbered. */
  const receive = async (from: number, to: number): Promise<void> => {
    for (let n = from; n <= to; n += 1)
      await stage.producer.received(tenantId, { sessionId: tenantId, keyId: String(n) });
  };
  const held = async (): Promise<number> => (await hot()).filter(({ state }) => state === 'held').length;
  const holds = (count: number) => waitFor(`${count} to be held`, async () => (await held()) === count);
  /** Moves the clock of this tenant alone. */
  const moveClock = (offsetMs: number) =>
    stage.database.query(
      `INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)
       ON CONFLICT (tenant_id) DO UPDATE SET offset_ms = excluded.offset_ms`,
      [tenantId, offsetMs],
    );
  /** Lists the dead letters, oldest first: number of the message, reason and attempts. */
  const dead = () =>
    stage.database.query<{ n: string; reason: string; attempts: number }>(
      `SELECT convert_from(payload, 'UTF8')::jsonb ->> 'keyId' AS n, reason, attempts
       FROM webhooks.webhook_dlq dlq JOIN webhooks.webhook_event event ON event.id = dlq.event_id
       WHERE dlq.endpoint_id = $1 ORDER BY dlq.seq`,
      [endpointId],
    );
  const keyIds = () => stage.keyIds(subscriber.path);
  return { ...subscriber, setStatus, receive, held, holds, moveClock, dead, keyIds };
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

test('in strict order all that waits is held and counts, not the first of each conversation alone', async () => {
  const { tenantId, endpointId, setStatus, receive, holds, dead, keyIds } = await aSubscriber();
  await stage.rpc.request(UpdateEndpoint, { tenantId, endpointId, ordering: 'STRICT' });
  await setStatus('PAUSED');
  await receive(1, LIMIT + 2);
  await waitFor('the two oldest to be dead letters', async () => (await dead()).length === 2);
  await holds(LIMIT);
  await setStatus('ACTIVE');
  await waitFor('the rest', () => keyIds().length === LIMIT);
  expect(keyIds()).toEqual(numbers(3, LIMIT + 2));
});

test('beyond the limit the oldest become dead letters that say so; the rest goes out in order', async () => {
  const { setStatus, receive, holds, dead, keyIds, deliveries } = await aSubscriber();
  await setStatus('PAUSED');
  await receive(1, LIMIT + 5);
  await waitFor('the five oldest to be dead letters', async () => (await dead()).length === 5);
  await holds(LIMIT);
  expect(await dead()).toEqual(numbers(1, 5).map((n) => ({ n, reason: 'HOLD_FULL', attempts: 0 })));
  const letters = await deliveries(true);
  expect(letters.map(({ status, attempts }) => [status, attempts])).toEqual(letters.map(() => ['DEAD', []]));
  await sweep();
  expect(await dead()).toHaveLength(5);

  await setStatus('ACTIVE');
  await waitFor('the rest', () => keyIds().length === LIMIT);
  expect(keyIds()).toEqual(numbers(6, LIMIT + 5));
});

test('what is held for three days of domain time becomes a dead letter that says so', async () => {
  const { setStatus, receive, held, holds, moveClock, dead, keyIds } = await aSubscriber();
  await setStatus('PAUSED');
  await receive(1, 3);
  await holds(3);
  await moveClock(3 * DAY_MS - HOUR_MS);
  await receive(4, 4);
  await holds(4);
  await sweep();
  expect(await held()).toBe(4);

  await moveClock(3 * DAY_MS + 1_000);
  await holds(1);
  expect(await dead()).toEqual(numbers(1, 3).map((n) => ({ n, reason: 'HOLD_EXPIRED', attempts: 0 })));
  await setStatus('ACTIVE');
  await waitFor('the one that is left', () => keyIds().length === 1);
  expect(keyIds()).toEqual(['4']);
});

test('a delivery that is old when it is held stays for three days from then', async () => {
  const { setStatus, receive, held, holds, moveClock, dead, deliveries } = await aSubscriber();
  stage.receiver.answerWith(503);
  await receive(1, 1);
  await waitFor('the failure', async () => (await deliveries())[0]?.attempts.length === 1);
  await moveClock(4 * DAY_MS);
  await waitFor('the second failure', async () => (await deliveries())[0]?.attempts.length === 2);
  await setStatus('PAUSED');
  await moveClock(4 * DAY_MS + 2 * RETRY_MS);
  await holds(1);
  await moveClock(7 * DAY_MS - HOUR_MS);
  await sweep();
  expect(await held()).toBe(1);
  await moveClock(7 * DAY_MS + HOUR_MS);
  await holds(0);
  expect(await dead()).toEqual([{ n: '1', reason: 'HOLD_EXPIRED', attempts: 2 }]);
});

test('of an endpoint that is active again nothing expires, and an owner of an old epoch expires nothing', async () => {
  const { tenantId, endpointId, setStatus, receive, holds, moveClock, dead, delivered, keyIds } =
    await aSubscriber();
  await setStatus('PAUSED');
  await receive(1, 3);
  await holds(3);
  const partition = partitionOf(tenantId);
  const epoch = stage.get(PartitionOwner).epochOf(partition) ?? 0;
  const answer = stage.holdBack();
  await setStatus('ACTIVE');
  await waitFor('the first to go out', () => keyIds().length === 1);
  // The rows are as they would be until their turn comes.
  const old = `UPDATE webhooks.webhook_delivery SET state = 'held', held_at = now() - interval '9 days'`;
  await stage.database.query(`${old} WHERE endpoint_id = $1`, [endpointId]);
  const held = stage.get(HeldRepository);
  expect(await held.expire({ partition, epoch }, endpointId)).toEqual([]);
  answer();
  await delivered(3);

  await setStatus('PAUSED');
  await receive(4, 4);
  await holds(1);
  await moveClock(10 * DAY_MS);
  expect(await held.expire({ partition, epoch: epoch - 1 }, endpointId)).toEqual([]);
  await sweep();
  expect(await dead()).toMatchObject([{ n: '4', reason: 'HOLD_EXPIRED' }]);
});

test('a held delivery whose dead letter the database refuses ends without one; those of it and of others that are healthy have theirs', async () => {
  const [sick, healthy] = [await aSubscriber(), await aSubscriber()];
  for (const { setStatus, receive, holds } of [sick, healthy]) {
    await setStatus('PAUSED');
    await receive(1, LIMIT);
    await holds(LIMIT);
  }
  const [first] = await sick.hot();
  await stage.database.query(`
    CREATE FUNCTION webhooks.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'nobody foresaw this' USING ERRCODE = '22000'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON webhooks.webhook_dlq FOR EACH ROW
      WHEN (NEW.delivery_id = '${first?.id}') EXECUTE FUNCTION webhooks.refuse()`);
  for (const { receive } of [sick, healthy]) await receive(LIMIT + 1, LIMIT + 3);
  await waitFor('the dead letters of the healthy', async () => (await healthy.dead()).length === 3);
  await waitFor('those of the sick', async () => (await sick.dead()).length === 2);
  await sick.holds(LIMIT);
  expect(await healthy.dead()).toMatchObject(numbers(1, 3).map((n) => ({ n, reason: 'HOLD_FULL' })));
  expect(await sick.dead()).toMatchObject(numbers(2, 3).map((n) => ({ n, reason: 'HOLD_FULL' })));
  const figures = await (await fetch(`${stage.opsUrl}/metrics`)).text();
  expect(figures).toContain('deliveries_dropped_total{reason="held"} 1\n');
  await stage.database.query('DROP FUNCTION webhooks.refuse() CASCADE');
});
