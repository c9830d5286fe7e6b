import { beforeAll, expect, test } from '@jest/globals';
import { type ServiceProcess, waitFor } from '@svc/testing';
import { PATIENCE_MS, Stage, type Subscriber } from '../stage.js';

/** A killed process at every step of a delivery's way, from the event to the written result. */
const stage = Stage.ofThisFile({ LOG_LEVEL: 'debug' });
let running: ServiceProcess;
beforeAll(restart);

/** Crashes the process as power loss does; the database gets nothing of what it had not sent by then. */
async function crash(): Promise<void> {
  await running.stop('SIGKILL');
  await waitFor('its lines to close', () => stage.proxy.connections === 0);
  stage.proxy.flow();
}

async function restart(): Promise<void> {
  running = await stage.spawn();
}

const events = async (tenantId: string): Promise<number> => {
  const sql = 'SELECT count(*)::int AS n FROM webhooks.webhook_event WHERE tenant_id = $1';
  return (await stage.database.query<{ n: number }>(sql, [tenantId]))[0]?.n ?? 0;
};

/** Makes a subscriber whose endpoint the process has in memory: a delivery to it asks the database for nothing but writes. */
async function aWarmSubscriber() {
  const subscriber = await stage.subscriber();
  await stage.producer.received(subscriber.tenantId);
  const { deliveryId } = await subscriber.delivery('DELIVERED');
  const others = async () =>
    (await subscriber.deliveries()).filter((delivery) => delivery.deliveryId !== deliveryId);
  const laterPosts = () => subscriber.posts().filter((id) => id !== deliveryId);
  const laterDelivery = () =>
    waitFor(
      'the delivery',
      async () => {
        const [one] = await others();
        return one?.status === 'DELIVERED' && one;
      },
      PATIENCE_MS,
    );
  return { ...subscriber, others, laterPosts, laterDelivery };
}

/** Waits until all events so far are acked and delivered, and one more is delivered after them: all is sent and written then. */
async function settled({ tenantId, path, hot }: Subscriber): Promise<void> {
  const nothingLeft = async (): Promise<boolean> =>
    (await stage.producer.unacked(tenantId)) === 0 && (await hot()).length === 0;
  await waitFor('every event to be delivered', nothingLeft, PATIENCE_MS);
  await stage.producer.received(tenantId, { keyId: 'last' });
  await waitFor('the last', async () => stage.keyIds(path).includes('last') && (await nothingLeft()));
}

test('before the event is committed: it comes again and is delivered once', async () => {
  const subscriber = await aWarmSubscriber();
  stage.proxy.hold('statements');
  await stage.producer.received(subscriber.tenantId);
  await waitFor(
    'the event to be handed out',
    async () => (await stage.producer.unacked(subscriber.tenantId)) === 1,
  );
  await crash();
  expect(await events(subscriber.tenantId)).toBe(1);
  await restart();
  expect(await subscriber.laterDelivery()).toMatchObject({ attempts: [{ attempt: 1, status: 200 }] });
  await settled(subscriber);
  expect(subscriber.laterPosts()).toHaveLength(2);
});

test('after the commit, before the ack: what comes again makes nothing new', async () => {
  const subscriber = await aWarmSubscriber();
  stage.proxy.holdRepliesTo(subscriber.tenantId);
  await stage.producer.received(subscriber.tenantId);
  await waitFor('the commit', async () => (await events(subscriber.tenantId)) === 2);
  expect(await stage.producer.unacked(subscriber.tenantId)).toBe(1);
  await crash();
  expect(subscriber.laterPosts()).toEqual([]);
  await restart();
  expect(await subscriber.laterDelivery()).toMatchObject({ attempts: [{ attempt: 1, status: 200 }] });
  await settled(subscriber);
  expect(subscriber.laterPosts()).toHaveLength(2);
});

test('after the ack, before the POST: it goes out as the first attempt it is, behind the one before it', async () => {
  const subscriber = await aWarmSubscriber();
  const { tenantId, path } = subscriber;
  stage.receiver.answerWith('hang');
  const sessionId = tenantId;
  for (const keyId of ['under way', 'waiting']) await stage.producer.received(tenantId, { sessionId, keyId });
  await waitFor('the first POST', () => subscriber.laterPosts().length === 1);
  await waitFor('both to be in memory', async () => {
    const rows = await subscriber.hot();
    return rows.length === 2 && rows.every(({ state }) => state === 'leased');
  });
  await crash();
  stage.receiver.answerWith(200);
  await restart();
  await settled(subscriber);
  expect(stage.keyIds(path)).toEqual(['3EB0', 'under way', 'under way', 'waiting', 'last']);
  const waiting = (await subscriber.others()).map(({ attempts }) => attempts.map(({ attempt }) => attempt));
  expect(waiting).toEqual([[1], [1], [1]]);
});

test('after the POST, before the result is committed: it is sent again under the same id, as the same attempt', async () => {
  const subscriber = await aWarmSubscriber();
  const open = stage.holdBack();
  await stage.producer.received(subscriber.tenantId);
  await waitFor('the POST', () => subscriber.laterPosts().length === 1);
  stage.proxy.hold('statements');
  open();
  await waitFor('the answer to be heard', async () =>
    running.output().includes(subscriber.laterPosts()[0] ?? '?'),
  );
  await crash();
  expect((await subscriber.hot()).map(({ state, attempt }) => [state, attempt])).toEqual([['leased', 1]]);
  await restart();
  expect(await subscriber.laterDelivery()).toMatchObject({ attempts: [{ attempt: 1, status: 200 }] });
  await settled(subscriber);
  const [first, second] = subscriber.laterPosts();
  expect(second).toBe(first);
  expect(subscriber.laterPosts()).toHaveLength(3);
});

test.each([
  ['a success', 200, 'DELIVERED'],
  ['a failure', 503, 'PENDING'],
])('after the result is committed, before it is heard: %s is not repeated', async (_, status, expected) => {
  const subscriber = await aWarmSubscriber();
  const open = stage.holdBack(status);
  await stage.producer.received(subscriber.tenantId);
  const id = await waitFor('the POST', () => subscriber.laterPosts()[0]);
  stage.proxy.holdRepliesTo(id);
  open();
  await waitFor('the result', async () => {
    const sql = 'SELECT FROM webhooks.webhook_attempt WHERE delivery_id = $1';
    return (await stage.database.query(sql, [id])).length === 1;
  });
  await crash();
  const hot = await subscriber.hot();
  expect(hot.map(({ state, attempt }) => [state, attempt])).toEqual(
    expected === 'DELIVERED' ? [] : [['scheduled', 2]],
  );
  stage.receiver.answerWith(200);
  await restart();
  const { attempts } = await subscriber.laterDelivery();
  expect(attempts.map((attempt) => attempt.status)).toEqual(status === 200 ? [200] : [503, 200]);
  await settled(subscriber);
  expect(subscriber.laterPosts()).toHaveLength(attempts.length + 1);
});

/** Commits of outbox rows wait until the gate is open: the process can be ended while its reply is on the way. */
const GATE_SQL = `CREATE TABLE gate (shut boolean);
  CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.02); END LOOP;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON webhooks.event_outbox DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION gate();`;

test('after a pause is committed, before its event is published: it is told once, by the next process', async () => {
  const subscriber = await aWarmSubscriber();
  const { tenantId, path } = subscriber;
  const watcher = `${path}/watcher`;
  await stage.endpoint(tenantId, stage.at(watcher), ['webhook.paused']);
  const { query } = stage.database;
  await query(GATE_SQL);
  await query('INSERT INTO gate VALUES (true)');
  stage.receiver.answerWith(404);
  await stage.producer.received(tenantId);
  await waitFor('the commit', async () => {
    const sql = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query ILIKE 'COMMIT%'`;
    return (await query(sql)).length === 1;
  });
  stage.proxy.hold('replies');
  await query('DELETE FROM gate');
  const untold = () =>
    query<{ id: string }>(
      `SELECT id FROM webhooks.event_outbox WHERE stream IS NULL AND envelope ->> 'tenantId' = $1`,
      [tenantId],
    );
  const [event] = await waitFor('the event', async () =>
    (await untold()).length === 1 ? untold() : undefined,
  );
  await crash();
  expect(await events(tenantId)).toBe(2);
  stage.receiver.answerWith(200);
  await restart();
  await waitFor('the news', () => stage.receiver.bodies(watcher).length === 1, PATIENCE_MS);
  await waitFor('its row to be marked', async () => (await untold()).length === 0);
  const sql = `SELECT id FROM webhooks.webhook_event WHERE tenant_id = $1 AND kind = 'webhook.paused'`;
  expect(await query(sql, [tenantId])).toEqual([event]);
  expect(stage.receiver.bodies(watcher)[0]?.payload).toMatchObject({
    reason: 'PERMANENT_4XX',
    consecutiveFailures: 5,
  });
});

test.each([
  ['committed, before it is delivered', 'ignore', 0],
  ['in the chain, before its row is deleted', 'lose', 1],
] as const)(
  'after an audit fact is %s: its line comes once, by the next process',
  async (_, behaviour, before) => {
    const { tenantId, endpointId } = await aWarmSubscriber();
    const { chain } = stage;
    const paused = () => chain.of(tenantId).filter(({ action }) => action === 'webhook.paused');
    chain.behaviour = behaviour;
    const call = stage.setStatus(tenantId, endpointId, 'PAUSED').catch(() => undefined);
    const rows = () =>
      stage.database.query<{ id: string }>(
        `SELECT id FROM webhooks.audit_outbox WHERE tenant_id = $1 AND fact ->> 'action' = 'webhook.paused'`,
        [tenantId],
      );
    await waitFor('the commit', async () => (await rows()).length === 1 && paused().length === before);
    await crash();
    await call;
    const [row] = await rows();
    chain.behaviour = 'append';
    await restart();
    await waitFor('the outbox to be empty', async () => (await rows()).length === 0, PATIENCE_MS);
    expect(paused()).toMatchObject([{ id: row?.id, actor: 'key:test', reason: 'because' }]);
  },
);
