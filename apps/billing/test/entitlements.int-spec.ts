import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ClearEntitlement,
  type EntitlementsReply,
  type Envelope,
  GetEntitlements,
  GetSubscription,
  GetUsage,
  type Plan,
  SetEntitlement,
  type SetEntitlementV1,
  SetSubscription,
  type SubscriptionChangedV1,
} from '@svc/contracts';
import { AuditChain, natsConnectionOf, startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { allEventsProcessed, aTenant, use } from './calls.js';

let billing: TestService;
/** Chain that receives the audit facts. */
let chain: AuditChain;

beforeAll(async () => {
  billing = await startTestService(serviceOptions, schema);
  chain = await AuditChain.listen(billing.nats.url);
});
afterAll(async () => {
  await chain.stop();
  await billing.stop();
});

const set = (
  tenantId: string,
  key: SetEntitlementV1['key'],
  value: SetEntitlementV1['value'],
): Promise<EntitlementsReply> =>
  billing.rpc.request(SetEntitlement, { tenantId, key, value, reason: 'Contract of May' });
const entitlementsOf = async (tenantId: string) =>
  (await billing.rpc.request(GetSubscription, { tenantId })).entitlements;

/** Collects the events of changes of a tenant. */
async function changesOf(tenantId: string): Promise<SubscriptionChangedV1[]> {
  const changes: SubscriptionChangedV1[] = [];
  const connection = natsConnectionOf(billing.messaging);
  connection.subscribe('evt.*.subscription.changed', {
    callback: (_, message) => {
      const event = message.json<Envelope<SubscriptionChangedV1>>();
      if (event.tenantId === tenantId) changes.push(event.data);
    },
  });
  await connection.flush();
  return changes;
}

describe('without an override', () => {
  test.each<[Plan, object]>([
    ['STARTER', { sessions: 1, messages: 1_000, calls: 500, tokens: 5_000_000, overage: 'block' }],
    ['GROWTH', { sessions: 5, messages: 10_000, calls: 5_000, tokens: 20_000_000, overage: 'bill' }],
    ['ENTERPRISE', { sessions: 20, messages: 100_000, calls: 50_000, tokens: 70_000_000, overage: 'bill' }],
  ])('%s has the numbers of the specification', async (plan, numbers) => {
    expect(await entitlementsOf(await aTenant(billing, plan))).toMatchObject(numbers);
  });

  test('the internal tenant has no limit of any kind, and there is nothing to override', async () => {
    const tenantId = await aTenant(billing, 'STARTER', true);
    const none = {
      ...{ sessions: null, messages: null, calls: null, tokens: null, storage: null, pace: null },
      ...{ endpoints: null, keys: null, widgets: null, scheduled: null },
    };
    expect(await entitlementsOf(tenantId)).toMatchObject(none);
    await expect(set(tenantId, 'messages', 5)).rejects.toMatchObject({
      code: 'SUBSCRIPTION_CONFLICT',
      message: 'No limit binds the internal tenant: there is nothing to override.',
    });
  });
});

describe('an override', () => {
  test('takes the place of one number, from the next question on, whatever the plan becomes', async () => {
    const tenantId = await aTenant(billing, 'STARTER');
    const reply = await set(tenantId, 'messages', 5_000);
    expect(reply).toMatchObject({
      ...{ tenantId, plan: 'STARTER', entitlements: { messages: 5_000, sessions: 1 } },
      overrides: [
        {
          ...{ key: 'messages', value: 5_000, planValue: 1_000, actor: 'operator' },
          ...{ reason: 'Contract of May', at: expect.any(String) },
        },
      ],
    });
    expect(await entitlementsOf(tenantId)).toMatchObject({ messages: 5_000, calls: 500 });
    await billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE', plan: 'ENTERPRISE' });
    expect(await entitlementsOf(tenantId)).toMatchObject({ messages: 5_000, calls: 50_000 });
    expect(await entitlementsOf(await aTenant(billing, 'STARTER'))).toMatchObject({ messages: 1_000 });
  });

  test('that is cleared gives the plan its number back', async () => {
    const tenantId = await aTenant(billing, 'STARTER');
    await set(tenantId, 'sessions', 3);
    await set(tenantId, 'sessions', 4);
    expect((await billing.rpc.request(GetEntitlements, { tenantId })).overrides).toHaveLength(1);
    expect(await billing.rpc.request(ClearEntitlement, { tenantId, key: 'sessions' })).toMatchObject({
      entitlements: { sessions: 1 },
      overrides: [],
    });
  });

  test('tells what it changed, once, and nothing where nothing did', async () => {
    const tenantId = await aTenant(billing, 'STARTER');
    const changes = await changesOf(tenantId);
    for (let times = 0; times < 2; times += 1) await set(tenantId, 'messages', 5_000);
    await set(tenantId, 'messages', 500);
    const clear = { tenantId, key: 'messages' as const, reason: 'It ended' };
    for (let times = 0; times < 2; times += 1) await billing.rpc.request(ClearEntitlement, clear);
    await billing.rpc.request(SetSubscription, { tenantId, status: 'PAUSED' });
    await waitFor('all events', () => changes.length >= 4);
    const same = { previousPlan: 'STARTER', plan: 'STARTER', previousStatus: 'ACTIVE', status: 'ACTIVE' };
    const about = { ...same, actor: 'operator', timestamp: expect.any(String) };
    const step = (previous: number, value: number) => ({ key: 'messages', previous, value });
    expect(changes.slice(0, 3)).toEqual([
      { ...about, entitlement: step(1_000, 5_000), reason: 'Contract of May' },
      { ...about, entitlement: step(5_000, 500), reason: 'Contract of May' },
      { ...about, entitlement: step(500, 1_000), reason: 'It ended' },
    ]);
    expect(changes[3]).toMatchObject({ status: 'PAUSED' });
  });

  test('of tokens and of what happens beyond them is what usage is held against', async () => {
    const tenantId = await aTenant(billing, 'STARTER');
    await set(tenantId, 'tokens', 7_000_000);
    await set(tenantId, 'overage', 'bill');
    await use(billing, tenantId, 6_000_000);
    await allEventsProcessed(billing);
    const tokens = async () => (await billing.rpc.request(GetUsage, { tenantId })).tokens;
    expect(await tokens()).toMatchObject({
      included: 7_000_000,
      left: 1_000_000,
      overage: 'bill',
      blocks: 0,
    });
    await set(tenantId, 'overage', 'block');
    await use(billing, tenantId, 2_000_000);
    await allEventsProcessed(billing);
    expect(await tokens()).toMatchObject({ left: 0, overage: 'block', blocks: 0, cost: 0 });
    expect(await billing.rpc.request(GetSubscription, { tenantId })).toMatchObject({
      tokenRefusal: { layer: 'tokens', limit: 7_000_000, used: 8_000_000 },
    });
    await set(tenantId, 'overage', 'bill');
    await use(billing, tenantId, 1);
    await allEventsProcessed(billing);
    // A smaller number of tokens holds from the next month on, as that of a smaller plan does.
    await billing.rpc.request(ClearEntitlement, { tenantId, key: 'tokens' });
    expect(await tokens()).toMatchObject({ included: 7_000_000, blocks: 1, cost: 2_000 });
  });

  test.each([
    ['messages', -1, 'value of messages must be a whole number from 0 to 1000000000'],
    ['messages', 1.5, 'value of messages must be a whole number from 0 to 1000000000'],
    ['sessions', 1_001, 'value of sessions must be a whole number from 0 to 1000'],
    ['overage', 5, 'value of overage must be bill or block'],
    ['calls', 'bill', 'value of calls must be a whole number from 0 to 1000000000'],
  ] as const)('of %s to %j is refused, naming field and rule', async (key, value, rule) => {
    await expect(set(await aTenant(billing), key, value)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'value', rule }] },
    });
  });

  test('of an unknown tenant or key is refused', async () => {
    await expect(set(randomUUID(), 'messages', 1)).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
    await expect(set(await aTenant(billing), 'gold' as never, 1)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'key' }] },
    });
  });
});

test('an override has a line of the audit log with its reason when the operator has the answer', async () => {
  const tenantId = await aTenant(billing, 'GROWTH');
  await set(tenantId, 'messages', 25_000);
  const entitlement = { key: 'messages', previous: 10_000, value: 25_000 };
  expect(chain.of(tenantId)).toMatchObject([
    {
      ...{ actor: 'operator', action: 'subscription.changed', target: tenantId, reason: 'Contract of May' },
      details: { previousPlan: 'GROWTH', plan: 'GROWTH', entitlement },
    },
  ]);
});
