import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { ListDeliveries, ReadContactEvents, ReadEventLog } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { Stage } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

/** Requests of one tenant; all connections of the pool are fewer. */
const REQUESTS = 15;
/** Connections that one tenant may have for reads. */
const SHARE = 5;

test('a tenant whose reads take long leaves connections to others, and to deliveries', async () => {
  const [tenantId, other] = [randomUUID(), randomUUID()];
  const { id: endpointId } = await stage.endpoint(tenantId, stage.at('/slow'), ['message.received']);

  const lock = await new DataSource({ type: 'postgres', url: stage.database.url }).initialize();
  const holder = lock.createQueryRunner();
  await holder.startTransaction();
  await holder.query('LOCK TABLE webhooks.webhook_dlq IN ACCESS EXCLUSIVE MODE');
  const list = { tenantId, endpointId, limit: 10, statuses: ['DEAD' as const] };
  const slow = Array.from({ length: REQUESTS }, (_, n) =>
    n % 2 === 0
      ? stage.rpc.request(ListDeliveries, list, 30_000)
      : stage.rpc.request(ReadContactEvents, { tenantId, contact: '15550001111@s.whatsapp.net' }, 30_000),
  );
  const waiting = async (): Promise<number> => {
    const sql = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%webhook_dlq%'`;
    const [row] = (await lock.query(sql)) as { n: number }[];
    return row?.n ?? 0;
  };
  await waitFor('its reads to wait', async () => (await waiting()) >= SHARE);

  const before = performance.now();
  const { id } = await stage.producer.received(other);
  await waitFor('the event of the other', async () => {
    const { events } = await stage.rpc.request(ReadEventLog, { tenantId: other, limit: 10 });
    return events.some((event) => event.id === id);
  });
  expect(performance.now() - before).toBeLessThan(2_000);
  expect(await waiting()).toBe(SHARE);

  await holder.rollbackTransaction();
  await holder.release();
  await lock.destroy();
  expect(await Promise.all(slow)).toHaveLength(REQUESTS);
}, 60_000);
