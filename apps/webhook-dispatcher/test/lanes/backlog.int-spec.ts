import { beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { waitFor } from '@svc/testing';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const BACKLOG = 3_000;
const EVENTS = 40;

/** Fills the table with deliveries held for an endpoint of another tenant: no process reads them. */
async function backlog(): Promise<void> {
  await stage.database.query(
    `INSERT INTO webhooks.webhook_delivery (id, event_id, endpoint_id, tenant_id, p, state, next_at, kind, event_at)
     SELECT gen_random_uuid(), gen_random_uuid(), $1, $2, 0, 'held', now(), 'message.received', now()
     FROM generate_series(1, $3)`,
    [randomUUID(), randomUUID(), BACKLOG],
  );
}

/** Counts the rows of deliveries that were taken out so far, and the rows that were read for whatever reason. */
async function counts(): Promise<{ taken: number; read: number }> {
  const [row] = await stage.database.query<{ taken: number; read: number }>(
    `SELECT n_tup_del::int AS taken, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read
     FROM pg_stat_user_tables WHERE schemaname = 'webhooks' AND relname = 'webhook_delivery'`,
  );
  return row ?? { taken: 0, read: 0 };
}

/** Waits until this many more are taken: the server publishes its statistics with some delay. */
const taken = (more: number): Promise<number> =>
  waitFor(
    `${more} deliveries to be taken out`,
    async () => {
      const { taken, read } = await counts();
      return taken >= more && read;
    },
    60_000,
  );

test('what is delivered is found by its key, also when the table was last measured while nothing was pending', async () => {
  const subscriber = await stage.subscriber(['message.received']);
  const receive = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1)
      await stage.producer.received(subscriber.tenantId, {
        sessionId: subscriber.tenantId,
        keyId: String(n),
      });
  };
  await receive(EVENTS);
  await subscriber.delivered(EVENTS);
  const before = await taken(EVENTS);
  // The pages of the table are there, with nothing in them: any index looks as good as another to the planner.
  await stage.database.query('ANALYZE webhooks.webhook_delivery');
  await backlog();
  await receive(EVENTS);
  await subscriber.delivered(2 * EVENTS);
  // A plan that reads them all reads as many for each batch.
  expect((await taken(2 * EVENTS)) - before).toBeLessThan(BACKLOG / 2);
}, 120_000);
