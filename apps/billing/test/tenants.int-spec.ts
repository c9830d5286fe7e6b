import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  DeleteTenantUsage,
  GetEntitlements,
  GetSubscription,
  GetUsage,
  SetEntitlement,
  SetSubscription,
} from '@svc/contracts';
import { AuditChain, startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { allEventsProcessed, aTenant, use } from './calls.js';

let billing: TestService;
/** Receiver of audit facts. */
let chain: AuditChain;

beforeAll(async () => {
  billing = await startTestService(serviceOptions, schema);
  chain = await AuditChain.listen(billing.nats.url);
});
afterAll(async () => {
  await chain.stop();
  await billing.stop();
});

test('a tenant that is deleted has its subscription end; what invoices rest on stays, and nothing else', async () => {
  const tenantId = await aTenant(billing, 'STARTER');
  await billing.rpc.request(SetEntitlement, { tenantId, key: 'messages', value: 7, reason: 'Contract' });
  await use(billing, tenantId, 1_000);
  await allEventsProcessed(billing);
  const before = await billing.rpc.request(GetUsage, { tenantId });
  const { deleted, done } = await billing.rpc.request(DeleteTenantUsage, { tenantId, sessionIds: [] });
  expect(done).toBe(true);
  expect(deleted).toMatchObject({
    ...{ 'billing.usage_event': 1, 'billing.usage_day': 1, 'billing.entitlement_override': 1 },
  });
  expect(await billing.rpc.request(GetSubscription, { tenantId })).toMatchObject({ status: 'CANCELED' });
  expect((await billing.rpc.request(GetEntitlements, { tenantId })).overrides).toEqual([]);
  expect(await billing.rpc.request(GetUsage, { tenantId })).toMatchObject({ tokens: before.tokens });
  const again = await billing.rpc.request(DeleteTenantUsage, { tenantId, sessionIds: [] });
  expect(again.done).toBe(true);
});

test('what the operator changes says who that was, where they give their name', async () => {
  const tenantId = await aTenant(billing, 'STARTER');
  await billing.rpc.request(SetSubscription, { tenantId, status: 'UNPAID', operator: 'Ada' });
  const order = { tenantId, key: 'calls' as const, value: 9, reason: 'Contract' };
  await billing.rpc.request(SetEntitlement, { ...order, operator: 'Ada' });
  await billing.rpc.request(SetEntitlement, { ...order, value: 10 });
  const actors = () => chain.of(tenantId).map(({ actor }) => actor);
  await waitFor('the lines', () => actors().length === 3);
  expect(actors().sort()).toEqual(['operator', 'operator:Ada', 'operator:Ada']);
  const { overrides } = await billing.rpc.request(GetEntitlements, { tenantId });
  expect(overrides).toMatchObject([{ key: 'calls', value: 10, actor: 'operator' }]);
});
