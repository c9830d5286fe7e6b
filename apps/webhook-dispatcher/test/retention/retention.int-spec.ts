import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { GetReplay, StartReplay } from '@svc/contracts';
import { Retention } from '@svc/service';
import { type AgedRow, agedRowsLeft, waitFor } from '@svc/testing';
import { retentionRules } from '../../src/retention/retention-rules.js';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile({
  WEBHOOK_RETRY_DELAYS_MS: '0,10,10,10,10',
  RETENTION_DAYS: '30',
  DEAD_LETTER_DAYS: '90',
});
beforeAll(() => stage.boot());

const sweep = () => stage.get(Retention).deleteOld();

const RULES = retentionRules({ retentionDays: 30, deadLetterDays: 90 });
const ROWS: Record<string, AgedRow> = {
  erased_contact: {
    days: 2,
    columns: ({ id, at }) => ({
      ...{ erasure_id: id, tenant_id: id, contact: `'\\x00'`, before: at, until: at },
    }),
  },
  webhook_dlq: {
    days: 90,
    columns: ({ id, at }) => ({
      ...{ delivery_id: id, seq: '1', event_id: id, endpoint_id: id, tenant_id: id, attempts: '5' },
      ...{ kind: `'message.received'`, event_at: at, reason: `'HTTP_503'`, dead_at: at },
    }),
  },
  webhook_replay: {
    days: 30,
    columns: ({ id, at }) => ({
      ...{ id, tenant_id: id, endpoint_id: id, p: '0', statuses: `'{}'`, kinds: `'{}'`, total: '0' },
      ...{ since: at, until: at, state: `'DONE'`, created_at: at, finished_at: at },
    }),
  },
  session_deletion: {
    days: 30,
    columns: ({ id, at }) => ({ session_id: id, tenant_id: id, noted_at: at, due_at: 'NULL' }),
  },
  webhook_event: {
    days: 30,
    columns: ({ id, at }) => ({
      ...{ id, tenant_id: id, conversation: '0' },
      ...{ kind: `'message.received'`, payload: `'\\x00'`, created_at: at },
    }),
  },
};

test.each(RULES)('a row of $table goes when it is old, and not before', async ({ table }) => {
  const place = { schema: 'webhooks', table, rows: ROWS };
  expect(await agedRowsLeft(stage.database, place, sweep)).toEqual([1, 1]);
});

test('each table that grows has a rule', () => {
  expect([...new Set(RULES.map(({ table }) => table))].sort()).toEqual(Object.keys(ROWS).sort());
});

/** Makes everything of a tenant older, as if it had come in then. */
async function age(tenantId: string, days: number): Promise<void> {
  const { query } = stage.database;
  const older = (column: string): string => `${column} = ${column} - $2::int * interval '1 day'`;
  await query(`UPDATE webhooks.webhook_event SET ${older('created_at')} WHERE tenant_id = $1`, [
    tenantId,
    days,
  ]);
  await query(`UPDATE webhooks.webhook_dlq SET ${older('dead_at')} WHERE tenant_id = $1`, [tenantId, days]);
}

/** Counts the rows that are left of a tenant's events, and of the attempts for an endpoint. */
async function left(tenantId: string, endpointId: string): Promise<{ events: number; attempts: number }> {
  const [row] = await stage.database.query<{ events: number; attempts: number }>(
    `SELECT (SELECT count(*)::int FROM webhooks.webhook_event WHERE tenant_id = $1) AS events,
      (SELECT count(*)::int FROM webhooks.webhook_attempt WHERE endpoint_id = $2) AS attempts`,
    [tenantId, endpointId],
  );
  return row ?? { events: 0, attempts: 0 };
}

test('events and finished deliveries are kept for thirty days, with all their attempts', async () => {
  const { tenantId, endpointId, delivered, deliveries } = await stage.subscriber();
  await stage.producer.received(tenantId);
  await stage.producer.received(tenantId);
  await delivered(2);
  await age(tenantId, 29);
  await sweep();
  expect(await left(tenantId, endpointId)).toEqual({ events: 2, attempts: 2 });
  await age(tenantId, 2);
  await sweep();
  expect(await left(tenantId, endpointId)).toEqual({ events: 0, attempts: 0 });
  expect(await deliveries()).toEqual([]);
});

test('a dead letter is kept for ninety days, and with it its event and its attempts', async () => {
  const { tenantId, endpointId, delivery, deliveries } = await stage.subscriber();
  stage.receiver.answerWith(503);
  await stage.producer.received(tenantId);
  await delivery('DEAD');
  await age(tenantId, 89);
  await sweep();
  expect((await deliveries(true))[0]).toMatchObject({ status: 'DEAD', event: 'message.received' });
  expect(await left(tenantId, endpointId)).toEqual({ events: 1, attempts: 5 });
  await age(tenantId, 2);
  await sweep();
  expect(await deliveries(true)).toEqual([]);
  expect(await left(tenantId, endpointId)).toEqual({ events: 0, attempts: 0 });
});

test('an event is kept as long as a delivery of it is on its way, however old it is', async () => {
  const { tenantId, endpointId, hot, delivered } = await stage.subscriber(['message.received']);
  const setStatus = (status: 'ACTIVE' | 'PAUSED') => stage.setStatus(tenantId, endpointId, status);
  await setStatus('PAUSED');
  await stage.producer.received(tenantId, { keyId: 'old' });
  await waitFor('it to be held', async () => (await hot())[0]?.state === 'held');
  await age(tenantId, 400);
  await sweep();
  await setStatus('ACTIVE');
  await delivered(1);
  expect(stage.keyIds()).toEqual(['old']);
});

test('an event that comes again within its time makes no second delivery', async () => {
  const { tenantId, delivered, posts } = await stage.subscriber();
  const event = await stage.producer.received(tenantId);
  await delivered(1);
  await age(tenantId, 2);
  await sweep();
  await stage.producer.publishAgain(event);
  await waitFor('it to be taken', async () => (await stage.producer.unacked(tenantId)) === 0);
  expect(posts()).toHaveLength(1);
});

test('more than a batch goes in one turn, and two processes do not disturb each other', async () => {
  const { tenantId, endpointId, delivered } = await stage.subscriber();
  await stage.producer.received(tenantId);
  await delivered(1);
  await stage.database.query(
    `INSERT INTO webhooks.webhook_event (id, tenant_id, session_id, conversation, kind, payload, created_at)
     SELECT gen_random_uuid(), tenant_id, session_id, conversation, kind, payload, created_at - interval '40 days'
     FROM webhooks.webhook_event, generate_series(1, 2500) WHERE tenant_id = $1`,
    [tenantId],
  );
  await Promise.all([sweep(), sweep()]);
  await sweep();
  expect(await left(tenantId, endpointId)).toEqual({ events: 1, attempts: 1 });
});

test('a replay that has ended is kept for thirty days', async () => {
  const { tenantId, endpointId, delivered } = await stage.subscriber();
  await stage.producer.received(tenantId);
  await delivered(1);
  const { replay } = await stage.rpc.request(StartReplay, { tenantId, endpointId });
  const replayId = replay?.id ?? '';
  const state = async () => (await stage.rpc.request(GetReplay, { tenantId, replayId })).replay.state;
  await waitFor('its end', async () => (await state()) === 'DONE');
  const older = (days: number) =>
    stage.database.query(
      `UPDATE webhooks.webhook_replay SET finished_at = finished_at - $2::int * interval '1 day' WHERE id = $1`,
      [replayId, days],
    );
  await older(29);
  await sweep();
  expect(await state()).toBe('DONE');
  await older(2);
  await sweep();
  await expect(state()).rejects.toMatchObject({ code: 'REPLAY_NOT_FOUND' });
});

test('that a session was deleted is remembered for thirty days, and longer while its endpoint is there', async () => {
  const { query } = stage.database;
  const ids = async () =>
    (await query<{ id: string }>('SELECT session_id AS id FROM webhooks.session_deletion')).map(
      ({ id }) => id,
    );
  const [old, young, undone] = [1, 2, 3].map(() => randomUUID());
  const rows = [
    [old, 31, null],
    [young, 29, null],
    [undone, 31, '2100-01-01'],
  ];
  for (const [id, days, due] of rows) {
    await query(
      `INSERT INTO webhooks.session_deletion (session_id, tenant_id, noted_at, due_at)
       VALUES ($1, $1, now() - $2::int * interval '1 day', $3)`,
      [id, days, due],
    );
  }
  await sweep();
  expect((await ids()).sort()).toEqual([young, undone].sort());
});

test('what a tenant has whose clock is a year ahead is old by that clock', async () => {
  const { tenantId } = await stage.subscriber();
  const { query } = stage.database;
  await query('INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, 31536000000)', [tenantId]);
  for (const days of [29, 31])
    await query(
      `INSERT INTO webhooks.webhook_event (id, tenant_id, conversation, kind, payload, created_at)
       VALUES (gen_random_uuid(), $1, 0, 'message.received', '{}', public.svc_now($1) - $2::int * interval '1 day')`,
      [tenantId, days],
    );
  await sweep();
  const left =
    'SELECT public.svc_now($1) - created_at < $2::interval AS young FROM webhooks.webhook_event WHERE tenant_id = $1';
  expect(await query(left, [tenantId, '30 days'])).toEqual([{ young: true }]);
  await query('DELETE FROM public.svc_clock');
});
