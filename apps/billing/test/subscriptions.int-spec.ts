import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CreateSubscription,
  type Envelope,
  GetSubscription,
  SetSubscription,
  type SubscriptionChangedV1,
} from '@svc/contracts';
import { Messaging } from '@svc/messaging';
import { startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

let billing: TestService;

beforeAll(async () => {
  billing = await startTestService(serviceOptions, schema);
});
afterAll(() => billing.stop());

const create = (status: 'ACTIVE' | 'CANCELED' = 'ACTIVE', tenantId: string = randomUUID()) =>
  billing.rpc.request(CreateSubscription, { tenantId, plan: 'GROWTH', status, internal: false });

describe('a subscription', () => {
  test('is there with its plan once it was created', async () => {
    const { tenantId } = await create();
    expect(await billing.rpc.request(GetSubscription, { tenantId })).toEqual({
      tenantId,
      plan: 'GROWTH',
      status: 'ACTIVE',
      internal: false,
      active: true,
      keeper: 'operator',
      entitlements: {
        ...{ sessions: 5, messages: 10_000, calls: 5_000, tokens: 20_000_000, overage: 'bill' },
        ...{ storage: 50_000_000_000, pace: 1_000 },
      },
    });
  });

  test('is kept when its creation is repeated with other words', async () => {
    const { tenantId } = await create('CANCELED');
    expect(await create('ACTIVE', tenantId)).toMatchObject({ status: 'CANCELED', active: false });
  });

  test('stops sending when it is canceled and allows it again when it is active', async () => {
    const { tenantId } = await create();
    const set = (status: 'CANCELED' | 'ACTIVE') => billing.rpc.request(SetSubscription, { tenantId, status });
    expect((await set('CANCELED')).active).toBe(false);
    expect((await set('ACTIVE')).active).toBe(true);
  });

  test('changes its plan at once, and keeps it where none is named', async () => {
    const { tenantId } = await create();
    const set = (plan?: 'STARTER' | 'ENTERPRISE') =>
      billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE', ...(plan && { plan }) });
    expect((await set('ENTERPRISE')).plan).toBe('ENTERPRISE');
    expect((await set()).plan).toBe('ENTERPRISE');
    expect((await set('STARTER')).plan).toBe('STARTER');
    expect(await billing.rpc.request(GetSubscription, { tenantId })).toMatchObject({ plan: 'STARTER' });
  });

  test('counts the grace of an overdue payment from the first day, however often the state is set', async () => {
    const { tenantId } = await create();
    const setPastDue = () => billing.rpc.request(SetSubscription, { tenantId, status: 'PAST_DUE' });
    await setPastDue();
    await billing.database.query(
      `UPDATE billing.subscription SET status_since = status_since - interval '8 days' WHERE tenant_id = $1`,
      [tenantId],
    );
    expect((await setPastDue()).active).toBe(false);
  });

  test('says until when an overdue payment is forgiven', async () => {
    const { tenantId } = await create();
    const { graceEndsAt } = await billing.rpc.request(SetSubscription, { tenantId, status: 'PAST_DUE' });
    const [row] = await billing.database.query<{ end: Date }>(
      `SELECT status_since + interval '7 days' AS "end" FROM billing.subscription WHERE tenant_id = $1`,
      [tenantId],
    );
    expect(graceEndsAt).toBe(row!.end.toISOString());
  });

  test('tells what changed, once, and nothing where nothing did', async () => {
    const { tenantId } = await create();
    const told: SubscriptionChangedV1[] = [];
    const { connection } = billing.get(Messaging);
    const listener = connection.subscribe('evt.*.subscription.changed', {
      callback: (_, message) => {
        const event = message.json<Envelope<SubscriptionChangedV1>>();
        if (event.tenantId === tenantId) told.push(event.data);
      },
    });
    await connection.flush();
    await billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE' });
    await billing.rpc.request(SetSubscription, { tenantId, status: 'PAUSED', plan: 'ENTERPRISE' });
    await waitFor('the event', () => told.length > 0);
    const change = { previousPlan: 'GROWTH', plan: 'ENTERPRISE', previousStatus: 'ACTIVE', status: 'PAUSED' };
    expect(told).toEqual([{ ...change, actor: 'operator', timestamp: expect.any(String) }]);
    listener.unsubscribe();
  });

  test('of an unknown tenant is an error with a code', async () => {
    await expect(billing.rpc.request(GetSubscription, { tenantId: randomUUID() })).rejects.toMatchObject({
      code: 'TENANT_NOT_FOUND',
    });
  });

  test('refuses a request that breaks the contract, naming the field', async () => {
    await expect(billing.rpc.request(GetSubscription, { tenantId: 'no uuid' })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: [{ field: 'tenantId', rule: 'tenantId must be a UUID' }] },
    });
  });
});

test('the probes answer', async () => {
  for (const probe of ['live', 'ready']) {
    expect((await fetch(`${billing.url}/health/${probe}`)).status).toBe(200);
  }
});
