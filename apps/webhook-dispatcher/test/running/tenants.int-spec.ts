import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import {
  DeleteTenantWebhooks,
  type DeletedTenantRows,
  GetEndpoint,
  SetEndpointSuspension,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { Stage, type Subscriber } from '../stage.js';

const stage = Stage.ofThisFile();
beforeAll(() => stage.boot());

const suspend = (tenantId: string, suspended = true) =>
  stage.rpc.request(SetEndpointSuspension, { tenantId, suspended }, 30_000);
const receive = (tenantId: string, n: number) =>
  stage.producer.received(tenantId, { sessionId: tenantId, keyId: String(n) });
const holds = ({ hot }: Subscriber, count: number) =>
  waitFor(
    `${count} to be held`,
    async () => (await hot()).filter(({ state }) => state === 'held').length === count,
  );
const stateOf = async ({ tenantId, endpointId }: Subscriber): Promise<string> =>
  (await stage.rpc.request(GetEndpoint, { tenantId, endpointId })).endpoint.status;

test('what comes for a suspended tenant is held, and goes out in its order when the tenant is resumed', async () => {
  const [own, other] = [await stage.subscriber(['message.received']), await stage.subscriber()];
  await receive(own.tenantId, 1);
  await own.delivered(1);
  await suspend(own.tenantId);
  for (const n of [2, 3, 4]) await receive(own.tenantId, n);
  await receive(other.tenantId, 1);
  await other.delivered(1);
  await holds(own, 3);
  expect(stage.keyIds(own.path)).toEqual(['1']);
  await suspend(own.tenantId, false);
  await own.delivered(4);
  expect(stage.keyIds(own.path)).toEqual(['1', '2', '3', '4']);
});

test('what failed before is tried again after the suspension, and not meanwhile', async () => {
  const own = await stage.subscriber(['message.received']);
  const open = stage.holdBack(500);
  await receive(own.tenantId, 1);
  await waitFor('the first attempt', () => own.posts().length === 1);
  await suspend(own.tenantId);
  open();
  stage.receiver.answerWith(200);
  await holds(own, 1);
  expect(own.posts()).toHaveLength(1);
  await suspend(own.tenantId, false);
  await own.delivered(1);
});

test('an endpoint that its tenant paused stays paused, and one is told of no pause that nobody asked for', async () => {
  const [paused, active] = [await stage.subscriber(), await stage.subscriber()];
  await stage.setStatus(paused.tenantId, paused.endpointId, 'PAUSED');
  for (const { tenantId } of [paused, active]) {
    await suspend(tenantId);
    await suspend(tenantId);
    await suspend(tenantId, false);
    await suspend(tenantId, false);
  }
  expect(await stateOf(paused)).toBe('PAUSED');
  expect(await stateOf(active)).toBe('ACTIVE');
  await receive(active.tenantId, 1);
  await active.delivered(1);
  const sql = `SELECT kind FROM webhooks.webhook_event WHERE tenant_id = $1 ORDER BY seq`;
  expect(await stage.database.query(sql, [active.tenantId])).toEqual([{ kind: 'message.received' }]);
});

test('a tenant that is deleted leaves nothing, counted by table, and others keep what they have', async () => {
  const [own, other] = [await stage.subscriber(), await stage.subscriber()];
  for (const { tenantId } of [own, other]) await receive(tenantId, 1);
  await Promise.all([own.delivered(1), other.delivered(1)]);
  await stage.bind({ tenantId: own.tenantId, sessionId: randomUUID(), url: stage.at('/bound') });
  await stage.setStatus(own.tenantId, own.endpointId, 'PAUSED');
  await receive(own.tenantId, 2);
  await waitFor('something to be held', async () => (await own.hot()).some(({ state }) => state === 'held'));
  const before = await tablesWith(other.tenantId);
  const deleted = await deleteAll(own.tenantId);
  expect(deleted).toMatchObject({
    'webhooks.webhook_endpoint': 2,
    'webhooks.webhook_event': expect.any(Number),
    'webhooks.webhook_delivery': expect.any(Number),
    'webhooks.webhook_attempt': expect.any(Number),
  });
  expect(await tablesWith(own.tenantId, own.endpointId)).toEqual([]);
  expect(await tablesWith(other.tenantId)).toEqual(before);
});

/** @returns what was deleted, in all. */
async function deleteAll(tenantId: string): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  let reply: DeletedTenantRows;
  do {
    reply = await stage.rpc.request(DeleteTenantWebhooks, { tenantId, sessionIds: [] }, 30_000);
    for (const [name, count] of Object.entries(reply.deleted)) deleted[name] = (deleted[name] ?? 0) + count;
  } while (!reply.done);
  return deleted;
}

/** Tables of the schema in which one of these stands, in whatever column. */
async function tablesWith(...words: string[]): Promise<string[]> {
  const { query } = stage.database;
  const tables = await query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'webhooks' ORDER BY name`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const sql = `SELECT FROM webhooks."${name}" AS row WHERE row::text LIKE ANY($1) LIMIT 1`;
    if ((await query(sql, [words.map((word) => `%${word}%`)])).length > 0) found.push(name);
  }
  return found;
}
