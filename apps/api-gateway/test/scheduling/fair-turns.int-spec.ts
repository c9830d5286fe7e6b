import { expect, test } from '@jest/globals';
import type { NewTenant } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const HOUR_MS = 3_600_000;
const LONG_MS = 60_000;
/** Messages of one tenant that have the same time: many batches. */
const MANY = 2_000;

const query = <T extends Record<string, unknown>>(sql: string, parameters: unknown[]): Promise<T[]> =>
  gateway.service.database.query(sql, parameters);

/** Schedules a message that goes out in so many milliseconds. @returns its job and its session. */
async function schedule(
  { tenantId, apiKey }: NewTenant,
  inMs: number,
): Promise<{ jobId: string; sessionId: string }> {
  const sessionId = gateway.fakes.addSession(tenantId).id;
  const sendAt = new Date(Date.now() + inMs).toISOString();
  const body = { sessionId, to: '+15550001111', text: 'x', sendAt };
  const answer = await gateway.call(apiKey, 'POST /v1/messages', body);
  return { jobId: String(answer.body['jobId']), sessionId };
}

/** Copies a message that waits so often. */
async function copy(jobId: string, times: number): Promise<void> {
  await query(
    `WITH copied AS (
       INSERT INTO gateway.message SELECT (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid()))).*
       FROM gateway.message m, generate_series(1, $2::int) WHERE m.id = $1 RETURNING id, tenant_id, session_id, send_at)
     INSERT INTO gateway.scheduled_message (job_id, tenant_id, session_id, send_at) SELECT * FROM copied`,
    [jobId, times],
  );
}

/** Moves the clocks of tenants so far that all their messages are due, of all at the same moment. */
async function comesTheTime(...tenants: NewTenant[]): Promise<void> {
  await query('INSERT INTO public.svc_clock (tenant_id, offset_ms) SELECT unnest($1::uuid[]), $2', [
    tenants.map(({ tenantId }) => tenantId),
    2 * HOUR_MS,
  ]);
}

async function waiting({ tenantId }: NewTenant): Promise<number> {
  const sql = 'SELECT count(*)::int AS n FROM gateway.scheduled_message WHERE tenant_id = $1';
  const [row] = await query<{ n: number }>(sql, [tenantId]);
  return row?.n ?? 0;
}

test('a message goes out at its time although thousands of another tenant have an earlier one', async () => {
  const [crowd, other] = [await gateway.createTenant(), await gateway.createTenant()];
  const first = await schedule(crowd, HOUR_MS);
  await copy(first.jobId, MANY);
  const { jobId, sessionId } = await schedule(other, HOUR_MS + 60_000);
  await comesTheTime(crowd, other);
  await waitFor(
    'the command',
    async () => (await gateway.commandsOf(sessionId)).some(({ id }) => id === jobId),
    LONG_MS,
  );
  expect(await waiting(crowd)).toBeGreaterThan(MANY / 2);
}, 90_000);

test('a message is refused where ten thousand of its tenant wait already, until the first of them goes out', async () => {
  const tenant = await gateway.createTenant();
  const { jobId, sessionId } = await schedule(tenant, HOUR_MS);
  await copy(jobId, 9_999);
  const sendAt = new Date(Date.now() + 2 * HOUR_MS).toISOString();
  const body = { sessionId, to: '+15550001111', text: 'x', sendAt };
  const answer = await gateway.call(tenant.apiKey, 'POST /v1/messages', body);
  const meta = { layer: 'schedule', limit: 10_000, used: 10_000 };
  expect(answer).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', meta } });
  expect(Math.abs(Number(answer.headers.get('retry-after')) - 3_600)).toBeLessThan(60);
});
