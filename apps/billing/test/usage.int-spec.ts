import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { GetSubscription, GetUsage, type Plan, SetSubscription, type UsageReply } from '@svc/contracts';
import { startTestService, type TestService } from '@svc/testing';
import { schema } from '../src/migrations/schema.js';
import { serviceOptions } from '../src/service-options.js';
import { allEventsProcessed, aTenant, call, use } from './calls.js';

const MILLION = 1_000_000;
let billing: TestService;

beforeAll(async () => {
  billing = await startTestService(serviceOptions, schema, { TOKEN_OVERAGE: 'block,bill,bill' });
});
afterAll(() => billing.stop());

const usage = async (tenantId: string, month?: string): Promise<UsageReply> => {
  await allEventsProcessed(billing);
  return billing.rpc.request(GetUsage, { tenantId, ...(month ? { month } : {}) });
};
const blocks = async (tenantId: string): Promise<number> => (await usage(tenantId)).tokens.blocks;
const setPlan = (tenantId: string, plan: Plan) =>
  billing.rpc.request(SetSubscription, { tenantId, status: 'ACTIVE', plan });

describe('a call of a language model', () => {
  test('is counted once, however often it is told, also at the same moment', async () => {
    const tenantId = await aTenant(billing);
    const id = randomUUID();
    await Promise.all(Array.from({ length: 20 }, () => call(billing, tenantId, 1_000, { id })));
    await call(billing, tenantId, 500);
    expect(await usage(tenantId)).toMatchObject({ calls: 2, tokens: { used: 1_500 } });
  });

  test('is another one where another service tells of it under the same id', async () => {
    const tenantId = await aTenant(billing);
    const id = randomUUID();
    await call(billing, tenantId, 1, { id });
    await call(billing, tenantId, 2, { id, source: 'flows' });
    expect(await usage(tenantId)).toMatchObject({ calls: 2, tokens: { used: 3 } });
  });

  test('counts in the month in which it was, however late it is told, and never in the future', async () => {
    const tenantId = await aTenant(billing);
    await call(billing, tenantId, 1, { timestamp: '2026-01-31T23:59:59.999Z' });
    await call(billing, tenantId, 2, { timestamp: '2026-02-01T00:00:00.000Z' });
    await call(billing, tenantId, 4, { timestamp: '2126-02-01T00:00:00.000Z' });
    expect((await usage(tenantId, '2026-01')).tokens.used).toBe(1);
    expect((await usage(tenantId, '2026-02')).tokens.used).toBe(2);
    expect((await usage(tenantId)).tokens.used).toBe(4);
  });

  test('is shown by day and by session', async () => {
    const tenantId = await aTenant(billing);
    const [one, two] = [randomUUID(), randomUUID()];
    await call(billing, tenantId, 10, { sessionId: one, timestamp: '2026-02-01T00:00:00.000Z' });
    await call(billing, tenantId, 20, { sessionId: two, timestamp: '2026-02-01T23:59:59.999Z' });
    await call(billing, tenantId, 30, { sessionId: two, timestamp: '2026-02-28T12:00:00.000Z' });
    expect(await usage(tenantId, '2026-02')).toMatchObject({
      ...{ month: '2026-02', from: '2026-02-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' },
      days: [
        { key: '2026-02-01', calls: 2, tokens: 30 },
        { key: '2026-02-28', calls: 1, tokens: 30 },
      ],
      sessions: [
        { key: two, calls: 2, tokens: 50 },
        { key: one, calls: 1, tokens: 10 },
      ],
    });
  });

  test('is counted by kinds of tokens where it tells them, each once', async () => {
    const tenantId = await aTenant(billing);
    const id = randomUUID();
    const told = { promptTokens: 900, completionTokens: 100, cachedTokens: 600, model: 'small', id };
    await Promise.all([1, 2, 3].map(() => call(billing, tenantId, 1_000, { ...told, purpose: 'answer' })));
    await call(billing, tenantId, 50, { promptTokens: 40, completionTokens: 10, estimated: true });
    await call(billing, tenantId, 7);
    expect((await usage(tenantId)).tokens).toMatchObject({
      used: 1_057,
      kinds: { prompt: 940, completion: 110, cached: 600, estimated: 50 },
    });
  });

  test('of a month without any has none of either kind', async () => {
    const tenantId = await aTenant(billing);
    const kinds = { prompt: 0, completion: 0, cached: 0, estimated: 0 };
    expect((await usage(tenantId)).tokens).toMatchObject({ used: 0, kinds });
  });

  test('of a tenant without a subscription is kept', async () => {
    const tenantId = randomUUID();
    await call(billing, tenantId, 7);
    await allEventsProcessed(billing);
    const rows = await billing.database.query(
      'SELECT tokens FROM billing.usage_period WHERE tenant_id = $1',
      [tenantId],
    );
    expect(rows).toEqual([{ tokens: '7' }]);
    await expect(usage(tenantId)).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  });
});

describe('blocks of tokens', () => {
  test('start with the first token beyond what is included, and cost 20 dollars each', async () => {
    const tenantId = await aTenant(billing);
    await use(billing, tenantId, 70 * MILLION);
    expect(await usage(tenantId)).toMatchObject({
      tokens: { included: 70 * MILLION, left: 0, blocks: 0, cost: 0, overage: 'bill', currency: 'USD' },
    });
    await call(billing, tenantId, 1);
    expect((await usage(tenantId)).tokens).toMatchObject({ blocks: 1, cost: 2_000 });
    await use(billing, tenantId, 70 * MILLION - 1);
    expect(await blocks(tenantId)).toBe(1);
    await call(billing, tenantId, 1);
    expect(await blocks(tenantId)).toBe(2);
    await use(billing, tenantId, 210 * MILLION);
    expect((await usage(tenantId)).tokens).toMatchObject({ blocks: 5, cost: 10_000 });
  });

  test('are started once when many calls at the same moment exceed what is included', async () => {
    const tenantId = await aTenant(billing);
    await Promise.all(Array.from({ length: 30 }, () => use(billing, tenantId, 5 * MILLION)));
    expect((await usage(tenantId)).tokens).toMatchObject({ used: 150 * MILLION, blocks: 2 });
  });

  test('that were started stay when the plan grows, and go on from there', async () => {
    const tenantId = await aTenant(billing, 'GROWTH');
    await use(billing, tenantId, 20 * MILLION + 1);
    expect(await blocks(tenantId)).toBe(1);
    await setPlan(tenantId, 'ENTERPRISE');
    await call(billing, tenantId, 1);
    expect(await blocks(tenantId)).toBe(1);
    await use(billing, tenantId, 120 * MILLION);
    expect(await blocks(tenantId)).toBe(2);
  });

  test('are not charged for what a larger plan included earlier in the month', async () => {
    const tenantId = await aTenant(billing);
    await use(billing, tenantId, 60 * MILLION);
    await allEventsProcessed(billing);
    await setPlan(tenantId, 'GROWTH');
    await call(billing, tenantId, 1);
    expect((await usage(tenantId)).tokens).toMatchObject({ included: 70 * MILLION, blocks: 0 });
    await use(billing, tenantId, 10 * MILLION);
    expect(await blocks(tenantId)).toBe(1);
  });

  test('of a month that is over follow from the plan of that month', async () => {
    const tenantId = await aTenant(billing);
    const timestamp = '2026-03-31T12:00:00.000Z';
    await use(billing, tenantId, 60 * MILLION, { timestamp });
    await allEventsProcessed(billing);
    await setPlan(tenantId, 'GROWTH');
    await call(billing, tenantId, 1, { timestamp });
    const { included, left } = (await usage(tenantId, '2026-03')).tokens;
    expect({ included, left }).toEqual({ included: 70 * MILLION, left: 10 * MILLION - 1 });
    expect((await usage(tenantId, '2026-03')).tokens.blocks).toBe(0);
  });

  test('are not made of a call that is larger than any can be: it is set aside for a person', async () => {
    const tenantId = await aTenant(billing);
    await call(billing, tenantId, 10 * MILLION + 1);
    expect((await usage(tenantId)).tokens).toMatchObject({ used: 0, blocks: 0 });
    const { manager } = billing.messaging;
    const { subject } = (await manager.streams.getMessage('DEAD', { last_by_subj: 'dead.billing' }))!;
    expect(subject).toBe('dead.billing');
  });

  test('of a month do not follow into the next', async () => {
    const tenantId = await aTenant(billing);
    await use(billing, tenantId, 70 * MILLION + 1, { timestamp: '2026-03-31T23:59:59.999Z' });
    await use(billing, tenantId, 70 * MILLION, { timestamp: '2026-04-01T00:00:00.000Z' });
    expect((await usage(tenantId, '2026-03')).tokens.blocks).toBe(1);
    expect((await usage(tenantId, '2026-04')).tokens.blocks).toBe(0);
  });

  test('are not for the internal tenant, whose tokens are counted all the same', async () => {
    const tenantId = await aTenant(billing, 'STARTER', true);
    await use(billing, tenantId, 500 * MILLION);
    expect((await usage(tenantId)).tokens).toMatchObject({ used: 500 * MILLION, included: null, blocks: 0 });
    expect(await billing.rpc.request(GetSubscription, { tenantId })).not.toHaveProperty('tokenRefusal');
  });
});

describe('a plan that blocks instead of billing', () => {
  const state = async (tenantId: string) => {
    await allEventsProcessed(billing);
    return billing.rpc.request(GetSubscription, { tenantId });
  };

  test('refuses from the last included token on until the month ends, and starts no block', async () => {
    const tenantId = await aTenant(billing, 'STARTER');
    await use(billing, tenantId, 5 * MILLION - 1);
    expect(await state(tenantId)).not.toHaveProperty('tokenRefusal');
    await call(billing, tenantId, 1);
    const { tokenRefusal } = await state(tenantId);
    expect(tokenRefusal).toMatchObject({ layer: 'tokens', limit: 5 * MILLION, used: 5 * MILLION });
    expect(tokenRefusal!.resetAt).toMatch(/-01T00:00:00\.000Z$/);
    await use(billing, tenantId, 100 * MILLION);
    expect(await blocks(tenantId)).toBe(0);
  });

  test('goes on as soon as the tenant has a plan that bills', async () => {
    const tenantId = await aTenant(billing, 'STARTER');
    await use(billing, tenantId, 6 * MILLION);
    expect(await state(tenantId)).toHaveProperty('tokenRefusal');
    expect(await setPlan(tenantId, 'GROWTH')).not.toHaveProperty('tokenRefusal');
  });
});

test('a month that is none is refused with the name of the field', async () => {
  const tenantId = await aTenant(billing);
  await expect(usage(tenantId, '2026-13')).rejects.toMatchObject({
    meta: { fields: [{ field: 'month', rule: 'month must be a month such as 2026-01' }] },
  });
});
