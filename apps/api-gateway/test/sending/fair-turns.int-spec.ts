import { beforeEach, expect, test } from '@jest/globals';
import type { NewTenant } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { SendPublisher } from '../../src/sending/send-publisher.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const LONG_MS = 60_000;
/** Messages of one tenant that wait: many batches. */
const MANY = 3_000;
const query = <T extends Record<string, unknown>>(sql: string, parameters: unknown[] = []): Promise<T[]> =>
  gateway.service.database.query(sql, parameters);

let crowd: NewTenant;
let other: NewTenant;

beforeEach(async () => {
  [crowd, other] = [await gateway.createTenant(), await gateway.createTenant()];
});

/** Sends a message that no worker takes, and says that it is looked at then, a time of SQL. @returns its job. */
async function send({ tenantId, apiKey }: NewTenant, at: string): Promise<string> {
  const body = { sessionId: gateway.fakes.addSession(tenantId).id, to: '+15550001111', text: 'x' };
  const answer = await gateway.call(apiKey, 'POST /v1/messages', body);
  await gateway.service.get(SendPublisher).settled();
  const jobId = String(answer.body['jobId']);
  await query(`UPDATE gateway.message SET next_publish_at = ${at} WHERE id = $1`, [jobId]);
  return jobId;
}

/** Copies a message that waits so often. */
async function copy(jobId: string, times: number): Promise<void> {
  await query(
    `INSERT INTO gateway.message SELECT (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid()))).*
     FROM gateway.message m, generate_series(1, $2::int) WHERE m.id = $1`,
    [jobId, times],
  );
}

async function untouched({ tenantId }: NewTenant): Promise<number> {
  const sql = 'SELECT count(*)::int AS n FROM gateway.message WHERE tenant_id = $1 AND publish_attempts = 0';
  return (await query<{ n: number }>(sql, [tenantId]))[0]?.n ?? 0;
}

const published = (jobId: string): Promise<unknown> =>
  waitFor(
    'the publication',
    async () => {
      const sql = 'SELECT publish_attempts AS n FROM gateway.message WHERE id = $1';
      return (await query<{ n: number }>(sql, [jobId]))[0]?.n === 1;
    },
    LONG_MS,
  );

test('a message is published again at its time although thousands of another tenant wait for longer', async () => {
  const jobId = await send(other, `clock_timestamp() + interval '1 hour'`);
  await copy(await send(crowd, `clock_timestamp() + interval '1 hour'`), MANY);
  await query(
    `UPDATE gateway.message SET next_publish_at = clock_timestamp() - CASE WHEN id = $1 THEN interval '0' ELSE interval '1 hour' END
     WHERE tenant_id IN ($2, $3)`,
    [jobId, crowd.tenantId, other.tenantId],
  );
  await published(jobId);
  expect(await untouched(crowd)).toBeGreaterThan(MANY / 2);
}, 90_000);

test('what a stream has lost that is made again is brought forward in bounded steps, of every tenant in its turn', async () => {
  await query('DELETE FROM gateway.message');
  const jobId = await send(other, `clock_timestamp() + interval '2 minutes'`);
  await copy(await send(crowd, `clock_timestamp() + interval '1 minute'`), MANY);
  await query(`UPDATE gateway.message SET created_at = created_at - interval '10 minutes'`);
  await query(`
    CREATE TABLE gateway.written (rows int);
    CREATE FUNCTION gateway.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      INSERT INTO gateway.written SELECT count(*) FROM changed; RETURN NULL; END $$;
    CREATE TRIGGER note AFTER UPDATE ON gateway.message REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION gateway.note()`);
  try {
    await gateway.service.nats.restart({ wipe: true });
    await published(jobId);
    expect(await untouched(crowd)).toBeGreaterThan(MANY / 2);
    const [most] = await query<{ n: number }>('SELECT max(rows) AS n FROM gateway.written');
    expect(most?.n).toBeLessThanOrEqual(500);
  } finally {
    await query('DROP FUNCTION gateway.note() CASCADE; DROP TABLE gateway.written');
  }
}, 90_000);
