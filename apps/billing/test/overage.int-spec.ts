import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ClearEntitlement, GetSubscription, GetUsage, SetEntitlement, SetSubscription } from '@svc/contracts';
import { migrate } from '@svc/database';
import { bootTestService, serviceUrl, startTestServers, type TestService } from '@svc/testing';
import { KeptOverage1764700000010 } from '../src/migrations/1764700000010-kept-overage.js';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { allEventsProcessed, aTenant, use } from './calls.js';

const MILLION = 1_000_000;
/** Tenants on STARTER from before its default changed. */
const [old, oldToo] = [randomUUID(), randomUUID()];
let billing: TestService;

beforeAll(async () => {
  const before = schema.migrations.slice(0, schema.migrations.indexOf(KeptOverage1764700000010));
  const servers = await startTestServers(serviceOptions, { ...schema, migrations: before });
  const { database, nats } = servers;
  await database.query(
    `INSERT INTO billing.subscription (tenant_id, plan, status, status_since, internal)
     SELECT unnest($1::uuid[]), 'STARTER', 'ACTIVE', now(), false`,
    [[old, oldToo]],
  );
  await migrate({ ...schema, url: database.url });
  const env = { DATABASE_URL: serviceUrl(database, schema), NATS_URL: nats.url };
  const service = await bootTestService(serviceOptions, env);
  const stop = async (): Promise<void> => {
    await service.stop();
    await servers.stop();
  };
  billing = { ...servers, ...service, stop };
});
afterAll(() => billing.stop());

/** Uses a token more than STARTER includes, and reads what becomes of that. */
async function beyond(tenantId: string) {
  await use(billing, tenantId, 5 * MILLION + 1);
  await allEventsProcessed(billing);
  const { tokenRefusal } = await billing.rpc.request(GetSubscription, { tenantId });
  const { overage, blocks, cost } = (await billing.rpc.request(GetUsage, { tenantId })).tokens;
  return { overage, blocks, cost, isRefused: tokenRefusal !== undefined };
}

test('a new tenant on STARTER is blocked once its tokens are used up, and billed nothing', async () => {
  const tenantId = await aTenant(billing, 'STARTER');
  expect(await beyond(tenantId)).toEqual({ overage: 'block', blocks: 0, cost: 0, isRefused: true });
});

test('a tenant from before is billed as it was', async () => {
  expect(await beyond(old)).toEqual({ overage: 'bill', blocks: 1, cost: 2_000, isRefused: false });
});

test.each(['GROWTH', 'ENTERPRISE'] as const)('a new tenant on %s is billed', async (plan) => {
  const tenantId = await aTenant(billing, plan);
  expect((await billing.rpc.request(GetUsage, { tenantId })).tokens.overage).toBe('bill');
});

test('a new tenant that comes to STARTER is blocked there, one from before is not', async () => {
  const tenantId = await aTenant(billing, 'GROWTH');
  for (const plan of ['GROWTH', 'STARTER'] as const)
    for (const one of [tenantId, oldToo])
      await billing.rpc.request(SetSubscription, { tenantId: one, status: 'ACTIVE', plan });
  const overageOf = async (one: string) =>
    (await billing.rpc.request(GetUsage, { tenantId: one })).tokens.overage;
  expect([await overageOf(tenantId), await overageOf(oldToo)]).toEqual(['block', 'bill']);
});

test('the operator has a tenant blocked, or billed, and takes that back', async () => {
  const tenantId = await aTenant(billing, 'STARTER');
  const reason = 'As agreed';
  for (const [one, value, planValue] of [
    [tenantId, 'bill', 'block'] as const,
    [oldToo, 'block', 'bill'] as const,
  ]) {
    const set = await billing.rpc.request(SetEntitlement, { tenantId: one, key: 'overage', value, reason });
    expect(set).toMatchObject({ entitlements: { overage: value }, overrides: [{ value, planValue }] });
    const cleared = await billing.rpc.request(ClearEntitlement, { tenantId: one, key: 'overage' });
    expect(cleared).toMatchObject({ entitlements: { overage: planValue }, overrides: [] });
  }
});
