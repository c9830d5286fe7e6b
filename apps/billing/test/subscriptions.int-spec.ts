import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CreateSubscription, GetSubscription, SetSubscription } from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
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
