import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Reserve } from '@svc/contracts';
import { RetentionService } from '@svc/service';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { repeat, reserveAll } from './sends.js';

let limits: TestService;

beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

test('what is old goes, what is young or still held stays', async () => {
  const [old, held, young] = repeat(3);
  await reserveAll(limits.rpc, [old!, held!, young!]);
  const { query } = limits.database;
  await query(
    `UPDATE limits.reservation SET day = day - 36, state = CASE job_id WHEN $1 THEN 'settled' ELSE state END WHERE job_id <> $2`,
    [old!.jobId, young!.jobId],
  );
  const days = (ago: number[]) =>
    `SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago FROM unnest(ARRAY[${ago.join()}]) AS ago`;
  const { sessionId } = old!;
  await query(`INSERT INTO limits.warmup_day (session_id, day) ${days([1, 399, 401])}`, [sessionId]);
  await query(
    `INSERT INTO limits.warmup_contact (session_id, contact, sent_at) VALUES ($1, 1, now() - interval '61 days'), ($1, 2, now())`,
    [sessionId],
  );
  await query(
    `INSERT INTO limits.quota (scope, id, used, day) SELECT 'session', session_id, 0, day FROM limits.warmup_day WHERE session_id = $1`,
    [sessionId],
  );
  await query(
    `INSERT INTO limits.warmup_mishap (event_id, session_id, kind, at)
     SELECT gen_random_uuid(), $1, 'DISCONNECTED', now() - days * interval '1 day' FROM unnest(ARRAY[1, 61]) AS days`,
    [sessionId],
  );
  await query(
    `INSERT INTO limits.llm_call (call_id, tenant_id, day)
     SELECT gen_random_uuid(), $1, (now() AT TIME ZONE 'UTC')::date - ago FROM unnest(ARRAY[1, 34, 36]) AS ago`,
    [sessionId],
  );
  await limits.get(RetentionService).deleteOld();
  const left = async (sql: string) => (await query<{ x: string }>(sql)).map(({ x }) => x);
  expect(await left('SELECT job_id AS x FROM limits.reservation')).toEqual(
    expect.arrayContaining([held!.jobId, young!.jobId]),
  );
  expect(await left('SELECT job_id AS x FROM limits.reservation')).toHaveLength(2);
  expect(await left('SELECT contact::text AS x FROM limits.warmup_contact')).toEqual(['2']);
  expect(await left('SELECT day::text AS x FROM limits.warmup_day')).toHaveLength(2);
  expect(
    await left(`SELECT day::text AS x FROM limits.quota WHERE scope = 'session' AND used = 0`),
  ).toHaveLength(2);
  expect(await left('SELECT event_id AS x FROM limits.warmup_mishap')).toHaveLength(1);
  expect(await left('SELECT call_id AS x FROM limits.llm_call')).toHaveLength(2);
  expect((await limits.rpc.request(Reserve, young!)).usage?.sessionUsed).toBe(3);
});
