import { expect, test } from '@jest/globals';
import { waitFor } from '@svc/testing';
import { DataSource } from 'typeorm';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

/** Requests of one tenant; all connections of the pool are fewer. */
const REQUESTS = 15;
/** Connections that one tenant may have for reads. */
const SHARE = 5;

test('a tenant whose reads take long leaves connections to others', async () => {
  const sessionId = gateway.fakes.addSession(tenant.tenantId).id;
  for (const to of ['+15550009001', '+15550009002'])
    await gateway.call(tenant.apiKey, 'POST /v1/messages', { sessionId, to, text: 'Hello' });
  const first = await gateway.call(tenant.apiKey, 'GET /v1/conversations?limit=1');
  const other = await gateway.createTenant();
  const session = gateway.fakes.addSession(other.tenantId).id;
  const send = () =>
    gateway.call(other.apiKey, 'POST /v1/messages', { sessionId: session, to: '+15550009003', text: 'Hi' });
  expect((await send()).status).toBe(200);

  const lock = await new DataSource({ type: 'postgres', url: gateway.service.database.url }).initialize();
  const holder = lock.createQueryRunner();
  await holder.startTransaction();
  await holder.query('LOCK TABLE gateway.conversation_past IN ACCESS EXCLUSIVE MODE');
  const next = `GET /v1/conversations?limit=1&before=${String(first.body['nextCursor'])}`;
  const slow = Array.from({ length: REQUESTS }, () => gateway.call(tenant.apiKey, next));
  const waiting = async (): Promise<number> => {
    const sql = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%pg_visible_in_snapshot%'`;
    const [row] = (await lock.query(sql)) as { n: number }[];
    return row?.n ?? 0;
  };
  await waitFor('its reads to wait', async () => (await waiting()) >= SHARE);

  const before = performance.now();
  const answers = [await send(), await gateway.call(other.apiKey, 'GET /v1/conversations?limit=1')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(await waiting()).toBe(SHARE);

  await holder.rollbackTransaction();
  await holder.release();
  await lock.destroy();
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual(slow.map(() => 200));
});
