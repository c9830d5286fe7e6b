import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CreateSubscription,
  type Envelope,
  GetSubscription,
  SetSubscription,
  type SubscriptionChangedV1,
} from '@svc/contracts';
import { AuditChain, natsConnectionOf, startTestService, type TestService, waitFor } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';

let billing: TestService;
let chain: AuditChain;

beforeAll(async () => {
  billing = await startTestService(serviceOptions, schema);
  chain = await AuditChain.listen(billing.nats.url);
});
afterAll(async () => {
  await chain.stop();
  await billing.stop();
});
afterEach(() => void (chain.behaviour = 'append'));

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
        ...{ endpoints: 50, keys: 100, widgets: 100, scheduled: 10_000 },
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
    const changes: SubscriptionChangedV1[] = [];
    const connection = natsConnectionOf(billing.messaging);
    const listener = connection.subscribe('evt.*.subscription.changed', {
      callback: (_, message) => {
        const event = message.json<Envelope<SubscriptionChangedV1>>();
        if (event.tenantId === tenantId) changes.push(event.data);
      },
    });
    await connection.flush();
    await billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE' });
    await billing.rpc.request(SetSubscription, { tenantId, status: 'PAUSED', plan: 'ENTERPRISE' });
    await waitFor('the event', () => changes.length > 0);
    const change = { previousPlan: 'GROWTH', plan: 'ENTERPRISE', previousStatus: 'ACTIVE', status: 'PAUSED' };
    expect(changes).toEqual([{ ...change, actor: 'operator', timestamp: expect.any(String) }]);
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

describe('the audit fact of a change', () => {
  const set = (tenantId: string, status: 'ACTIVE' | 'PAUSED') =>
    billing.rpc.request(SetSubscription, { tenantId, status });
  const left = (tenantId: string) =>
    billing.database.query('SELECT id FROM billing.audit_outbox WHERE tenant_id = $1', [tenantId]);

  test('is in the chain when the call returns, and there is none where nothing changed', async () => {
    const { tenantId } = await create();
    await set(tenantId, 'ACTIVE');
    await billing.rpc.request(SetSubscription, { tenantId, status: 'PAUSED', plan: 'ENTERPRISE' });
    const details = {
      previousPlan: 'GROWTH',
      plan: 'ENTERPRISE',
      previousStatus: 'ACTIVE',
      status: 'PAUSED',
    };
    expect(chain.of(tenantId)).toEqual([
      {
        ...{ id: expect.any(String), tenantId, at: expect.any(String), actor: 'operator' },
        ...{ action: 'subscription.changed', target: tenantId, details },
      },
    ]);
  });

  test('comes once although its answer was lost, or nobody was there', async () => {
    const { tenantId } = await create();
    chain.behaviour = 'lose';
    await set(tenantId, 'PAUSED');
    chain.behaviour = 'ignore';
    await set(tenantId, 'ACTIVE');
    expect(chain.of(tenantId)).toHaveLength(1);
    chain.behaviour = 'append';
    await waitFor('the outbox to be empty', async () => (await left(tenantId)).length === 0);
    expect(chain.of(tenantId).map(({ details }) => details['status'])).toEqual(['PAUSED', 'ACTIVE']);
  });

  test('and the change are one: neither is there without the other', async () => {
    const { tenantId } = await create();
    const { query } = billing.database;
    await query(`ALTER TABLE billing.audit_outbox ADD CONSTRAINT refused CHECK (tenant_id <> '${tenantId}')`);
    await expect(set(tenantId, 'PAUSED')).rejects.toThrow();
    await query('ALTER TABLE billing.audit_outbox DROP CONSTRAINT refused');
    expect(await billing.rpc.request(GetSubscription, { tenantId })).toMatchObject({ status: 'ACTIVE' });
  });
});

test('the probes answer', async () => {
  for (const probe of ['live', 'ready']) {
    expect((await fetch(`${billing.opsUrl}/health/${probe}`)).status).toBe(200);
  }
});
