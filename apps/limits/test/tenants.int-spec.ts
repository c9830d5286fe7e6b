import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DeleteTenantLimits, type ReserveV1 } from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { aSend, reserveInTurn } from './sends.js';

let limits: TestService;
beforeAll(async () => {
  limits = await startTestService(serviceOptions, schema);
});
afterAll(() => limits.stop());

/** A send, and all else that is counted of its number. */
async function furnish(send: ReserveV1): Promise<void> {
  const { query } = limits.database;
  await reserveInTurn(limits.rpc, [send]);
  await query('INSERT INTO limits.warmup_contact (session_id, contact, sent_at) VALUES ($1, 7, now())', [
    send.sessionId,
  ]);
  await query('INSERT INTO limits.warmup_day (session_id, day) VALUES ($1, current_date)', [send.sessionId]);
  await query(
    `INSERT INTO limits.warmup_mishap (event_id, session_id, kind, at) VALUES (gen_random_uuid(), $1, 'DISCONNECTED', now())`,
    [send.sessionId],
  );
  await query(
    `INSERT INTO limits.linked_number (session_id, tenant_id, phone, connected_at) VALUES ($1, $2, '15550280001', now())`,
    [send.sessionId, send.tenantId],
  );
  await query(
    `INSERT INTO limits.number_tier (tenant_id, phone, tier, tier_since) VALUES ($1, '15550280001', 1, now())`,
    [send.tenantId],
  );
  await query(
    'INSERT INTO limits.llm_call (call_id, tenant_id, day) VALUES (gen_random_uuid(), $1, current_date)',
    [send.tenantId],
  );
}

/** Tables of the schema in which one of these stands, in whatever column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const { query } = limits.database;
  const tables = await query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'limits' ORDER BY name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT FROM limits."${name}" AS row WHERE row::text LIKE ANY($1) LIMIT 1`;
    if ((await query(sql, [words.map((word) => `%${word}%`)])).length > 0) found.push(name);
  }
  return found;
}

test('a tenant that is deleted leaves nothing of itself and of its numbers, and others keep what they have', async () => {
  const [own, other] = [aSend(), aSend()];
  for (const send of [own, other]) await furnish(send);
  const filled = await tablesWith(own.tenantId, own.sessionId);
  expect(filled.length).toBeGreaterThanOrEqual(9);
  const { deleted, done } = await limits.rpc.request(DeleteTenantLimits, {
    ...{ tenantId: own.tenantId, sessionIds: [] },
  });
  expect(done).toBe(true);
  expect(Object.keys(deleted).sort()).toEqual(filled.map((name) => `limits.${name}`));
  expect(await tablesWith(own.tenantId, own.sessionId)).toEqual([]);
  expect(await tablesWith(other.tenantId, other.sessionId)).toEqual(filled);
});
