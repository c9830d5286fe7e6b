import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Reserve } from '@svc/contracts';
import { Retention } from '@svc/service';
import { type AgedRow, agedRowsLeft, startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { RETENTION_RULES } from '../src/retention-rules.js';
import { serviceOptions } from '../src/service-options.js';
import { repeat, reserveAll } from './sends.js';

const UNUSED = `(SELECT id FROM limits.quota WHERE scope = 'session' AND id NOT IN (SELECT session_id FROM limits.warmup) LIMIT 1)`;
const ROWS: Record<string, AgedRow> = {
  reservation: {
    days: 35,
    columns: ({ id, day, at }) => ({
      job_id: id,
      tenant_id: id,
      session_id: id,
      state: `'settled'`,
      day,
      at,
    }),
  },
  llm_call: { days: 35, columns: ({ id, day }) => ({ call_id: id, tenant_id: id, day }) },
  warmup_contact: { days: 60, columns: ({ id, at }) => ({ session_id: id, contact: '1', sent_at: at }) },
  warmup_mishap: {
    days: 60,
    columns: ({ id, at }) => ({ event_id: id, session_id: id, kind: `'DISCONNECTED'`, at }),
  },
  warmup_day: { days: 400, columns: ({ id, day }) => ({ session_id: id, day }) },
  warmup: {
    days: 400,
    // A number that has sent something; without, it goes long before.
    columns: ({ id, at }) => ({ session_id: UNUSED, tenant_id: id, tier: '0', tier_since: at, ended_at: at }),
  },
  quota: { days: 400, columns: ({ id, day }) => ({ scope: `'tenant'`, id, day, used: '0' }) },
};

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

const deleteOld = (): Promise<void> => limits.get(Retention).deleteOld();

const aDay = (id: string): Promise<unknown> =>
  limits.database.query(
    `INSERT INTO limits.quota (scope, id, day, used) VALUES ('session', $1, (public.svc_now() AT TIME ZONE 'UTC')::date, 1)`,
    [id],
  );

test.each(RETENTION_RULES)('a row of $table goes when it is old, and not before', async ({ table }) => {
  const place = { schema: 'limits', table, rows: ROWS };
  for (let n = 0; n < 2; n += 1) await aDay(randomUUID());
  expect(await agedRowsLeft(limits.database, place, deleteOld)).toEqual([1, 1]);
});

test('the end of a session that never sent is forgotten after two days', async () => {
  const [unused, used, young] = [randomUUID(), randomUUID(), randomUUID()];
  const insert = `INSERT INTO limits.warmup (session_id, tenant_id, tier, tier_since, ended_at)
    VALUES ($1, $1, 0, now(), now() - $2 * interval '1 day')`;
  for (const [id, days] of [
    [unused, 3],
    [used, 3],
    [young, 1],
  ])
    await limits.database.query(insert, [id, days]);
  await aDay(used);
  await deleteOld();
  const left = await limits.database.query<{ id: string }>(
    'SELECT session_id AS id FROM limits.warmup WHERE session_id = ANY($1)',
    [[unused, used, young]],
  );
  expect(left.map(({ id }) => id).sort()).toEqual([used, young].sort());
});

test('each table that grows has a rule', () => {
  expect([...new Set(RETENTION_RULES.map(({ table }) => table))].sort()).toEqual(Object.keys(ROWS).sort());
});

test('a contact who has written lately stays, however long ago we wrote', async () => {
  const { query } = limits.database;
  await query(`INSERT INTO limits.warmup_contact (session_id, contact, sent_at, replied_at)
    VALUES (gen_random_uuid(), 7, now() - interval '61 days', now())`);
  await deleteOld();
  expect(await query('SELECT FROM limits.warmup_contact WHERE contact = 7')).toHaveLength(1);
});

test('a unit that is still held stays, and counts', async () => {
  const [old, held, young] = repeat(3);
  await reserveAll(limits.rpc, [old!, held!, young!]);
  const { query } = limits.database;
  await query(
    `UPDATE limits.reservation SET day = day - 36, state = CASE job_id WHEN $1 THEN 'settled' ELSE state END WHERE job_id <> $2`,
    [old!.jobId, young!.jobId],
  );
  await deleteOld();
  const left = await query<{ job: string }>(
    'SELECT job_id AS job FROM limits.reservation WHERE tenant_id = $1',
    [old!.tenantId],
  );
  expect(left.map(({ job }) => job).sort()).toEqual([held!.jobId, young!.jobId].sort());
  expect((await limits.rpc.request(Reserve, young!)).usage?.sessionUsed).toBe(3);
});
