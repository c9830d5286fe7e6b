import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { log } from '@svc/service';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { WarmupTicker } from '../src/warmup/warmup-ticker.js';

let limits: TestService;

beforeAll(async () => {
  // Numbers are judged when the test says so.
  limits = await startTestService(serviceOptions, schema, { WARMUP_LOOK_MS: '600000' });
});
afterAll(() => limits.stop());

const MOST_BIGINT = '9223372036854775807';
const MOST_INT = 2_147_483_647;

const query = (sql: string, parameters: unknown[]): Promise<Record<string, unknown>[]> =>
  limits.database.query(sql, parameters);

/** Makes a number of a tenant of its own. @returns its session. */
async function aNumber(
  more: { since?: string; evaluated?: string; offsetMs?: string } = {},
): Promise<string> {
  const [sessionId, tenantId] = [randomUUID(), randomUUID()];
  const { since = '2026-01-01', evaluated = null, offsetMs } = more;
  await query(
    'INSERT INTO limits.warmup (session_id, tenant_id, tier, tier_since, evaluated_at) VALUES ($1, $2, 0, $3, $4)',
    [sessionId, tenantId, since, evaluated],
  );
  if (offsetMs)
    await query('INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)', [tenantId, offsetMs]);
  return sessionId;
}

async function judged(): Promise<unknown[]> {
  const rows = await query(
    `SELECT session_id AS id FROM limits.warmup WHERE evaluated_at IS NOT NULL AND isfinite(evaluated_at) ORDER BY session_id`,
    [],
  );
  return rows.map(({ id }) => id);
}

test('numbers whose clocks, dates and counts are absurd keep no other from being judged in the same batch', async () => {
  const spoilt = [
    await aNumber({ offsetMs: MOST_BIGINT }),
    await aNumber({ offsetMs: `-${MOST_BIGINT}` }),
    await aNumber({ evaluated: 'infinity' }),
    await aNumber({ evaluated: '-infinity' }),
    await aNumber({ evaluated: '294276-12-31T23:59:59Z', offsetMs: `-${MOST_BIGINT}` }),
    await aNumber({ since: 'infinity' }),
    await aNumber({ since: '-infinity' }),
    await aNumber({ since: '4713-01-01T00:00:00Z BC' }),
    await aNumber({ since: '294276-12-31T23:59:59Z', offsetMs: MOST_BIGINT }),
  ];
  const overflowing = await aNumber();
  await query(
    `INSERT INTO limits.warmup_day (session_id, day, sent, delivered, failed)
     SELECT $1, (now() AT TIME ZONE 'UTC')::date - days, $2, $2, $2 FROM generate_series(2, 3) AS days`,
    [overflowing, MOST_INT],
  );
  const healthy = [await aNumber(), await aNumber()];
  const said = jest.spyOn(log(), 'error');
  await limits.get(WarmupTicker).judgeDue();
  expect(await judged()).toEqual([...spoilt, overflowing, ...healthy].sort());
  const sick = said.mock.calls.map(([fields]) => (fields as { sessionId?: string }).sessionId);
  expect(sick).toContain(overflowing);
  for (const sessionId of healthy) expect(sick).not.toContain(sessionId);
  expect(new Set(sick).size).toBe(sick.length);
  said.mockRestore();
});
