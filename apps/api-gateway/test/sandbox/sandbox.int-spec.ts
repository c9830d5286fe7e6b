import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type AuditEntry, GetAuditLog, ListTenants, ResetSandboxClock } from '@svc/contracts';
import { KeyUsage } from '../../src/auth/key-verifier.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

let testKey: string;
const DAY_S = 86_400;

async function newTestKey(liveKey: string, body: object = {}): Promise<string> {
  const made = await gateway.call(liveKey, 'POST /v1/api-keys', { environment: 'TEST', ...body });
  expect(made).toMatchObject({ status: 201, body: { environment: 'TEST', rotated: null } });
  return made.body['secret'] as string;
}
beforeAll(async () => {
  testKey = await newTestKey(tenant.apiKey);
});

describe('a key of the sandbox', () => {
  test('is made with a live key, begins with rk_test_ and replaces nothing', async () => {
    expect(testKey).toMatch(/^rk_test_[A-Za-z0-9]{50}$/);
    const { body } = await gateway.call(tenant.apiKey, 'GET /v1/api-keys');
    expect(body['items']).toEqual([
      expect.objectContaining({ kid: tenant.kid, environment: 'LIVE', expiresAt: null }),
    ]);
  });

  test('is one of the same sandbox each time, also when two are made at the same moment', async () => {
    const other = await gateway.createTenant();
    const [one, two] = await Promise.all([newTestKey(other.apiKey), newTestKey(other.apiKey)]);
    await gateway.call(one, 'POST /v1/webhooks', {
      ...{ name: 'bot', url: 'https://bot.example.com/hook', events: [] },
    });
    const { items } = await gateway.service.rpc.request(ListTenants, {});
    expect(items.filter(({ sandboxOf }) => sandboxOf === other.tenantId)).toHaveLength(1);
    const keys = await gateway.call(two, 'GET /v1/api-keys');
    expect(keys.body['items']).toHaveLength(2);
  });

  test('does not open under the other prefix', async () => {
    const answer = await gateway.call(testKey.replace('rk_test_', 'rk_live_'), 'GET /v1/sessions');
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });

  test('makes test keys and no live ones', async () => {
    const beside = await gateway.call(testKey, 'POST /v1/api-keys', { rotates: null });
    expect(beside).toMatchObject({ status: 201, body: { environment: 'TEST' } });
    const live = await gateway.call(testKey, 'POST /v1/api-keys', { environment: 'LIVE', rotates: null });
    expect(live).toMatchObject({ status: 403, body: { code: 'LIVE_ONLY' } });
  });

  test('replaces no live key', async () => {
    const body = { environment: 'TEST', rotates: tenant.kid };
    expect(await gateway.call(tenant.apiKey, 'POST /v1/api-keys', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'rotates' }] } },
    });
  });

  test('pays for nothing, and has the plan of its tenant whenever a key is made', async () => {
    const other = await gateway.createTenant({ plan: 'STARTER' });
    const key = await newTestKey(other.apiKey);
    const plan = async () => (await gateway.call(key, 'GET /v1/subscription')).body['plan'];
    expect(await plan()).toBe('STARTER');
    const state = gateway.fakes.subscriptions.get(other.tenantId)!;
    gateway.fakes.subscriptions.set(other.tenantId, { ...state, plan: 'ENTERPRISE' });
    await newTestKey(other.apiKey);
    expect(await plan()).toBe('ENTERPRISE');
    for (const route of ['POST /v1/subscription/checkout', 'POST /v1/subscription/portal']) {
      const body = route.endsWith('checkout') ? { plan: 'GROWTH' } : undefined;
      expect(await gateway.call(key, route, body)).toMatchObject({
        status: 403,
        body: { code: 'LIVE_ONLY' },
      });
    }
  });

  test('leaves a line in the audit log of its tenant', async () => {
    const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
    expect(items.map(({ action, actor }: AuditEntry) => `${actor} ${action}`)).toContain(
      `key:${tenant.kid} sandbox.created`,
    );
  });
});

describe('live and sandbox', () => {
  test('know nothing of each other', async () => {
    const live = gateway.fakes.addSession(tenant.tenantId);
    const created = await gateway.call(testKey, 'POST /v1/sessions', { name: 'bot under test' });
    expect(created.status).toBe(201);
    const test = created.body['id'] as string;
    expect(gateway.fakes.created.get(test)).toMatchObject({ sandbox: true });
    const idsOf = async (key: string): Promise<string[]> => {
      const { body } = await gateway.call(key, 'GET /v1/sessions');
      return (body['items'] as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf(testKey)).toEqual([test]);
    expect(await idsOf(tenant.apiKey)).not.toContain(test);
    for (const [key, id] of [
      [testKey, live.id],
      [tenant.apiKey, test],
    ] as const) {
      const send = { sessionId: id, to: '+4915112345678', text: 'Hello' };
      expect(await gateway.call(key, 'POST /v1/messages', send)).toMatchObject({ status: 403 });
      expect(await gateway.call(key, `GET /v1/sessions/${id}`)).toMatchObject({ status: 403 });
    }
  });

  test('are not both there where the installation has no simulator', async () => {
    const answer = await gateway.call(testKey, 'GET /v1/sandbox/magic-numbers');
    expect(answer).toMatchObject({ status: 503, body: { code: 'SANDBOX_UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });
});

describe('the clock of a sandbox', () => {
  test('goes forward, for this sandbox alone, and its keys age with it', async () => {
    const other = await gateway.createTenant();
    const key = await newTestKey(other.apiKey);
    const rotated = await gateway.call(key, 'POST /v1/api-keys');
    expect(rotated.status).toBe(201);
    const successor = rotated.body['secret'] as string;
    const before = await gateway.call(successor, 'GET /v1/sandbox/clock');
    expect(before.body['aheadSeconds']).toBe(0);
    const advance = (advanceSeconds: number) =>
      gateway.call(successor, 'POST /v1/sandbox/clock', { advanceSeconds });
    expect((await advance(DAY_S - 60)).body['aheadSeconds']).toBe(DAY_S - 60);
    expect((await gateway.call(key, 'GET /v1/sessions')).status).toBe(200); // within its 24 hours
    const { body } = await advance(60);
    expect(body['aheadSeconds']).toBe(DAY_S);
    expect(Date.parse(body['now'] as string) - Date.now()).toBeGreaterThan((DAY_S - 60) * 1_000);
    expect((await gateway.call(key, 'GET /v1/sessions')).status).toBe(401);
    expect((await gateway.call(testKey, 'GET /v1/sandbox/clock')).body['aheadSeconds']).toBe(0);
  });

  test('is the one by which its keys are made and used', async () => {
    const key = await newTestKey((await gateway.createTenant()).apiKey);
    await gateway.call(key, 'POST /v1/sandbox/clock', { advanceSeconds: DAY_S });
    const { body: made } = await gateway.call(key, 'POST /v1/api-keys', { rotates: null });
    await gateway.call(made['secret'] as string, 'GET /v1/sessions');
    await gateway.service.get(KeyUsage).flush();
    const { body } = await gateway.call(key, 'GET /v1/api-keys?limit=1');
    const [{ createdAt, lastUsedAt }] = body['items'] as [Record<string, string>];
    expect(Date.parse(lastUsedAt!)).toBeGreaterThan(Date.parse(createdAt!));
    expect(Date.parse(lastUsedAt!)).toBeLessThan(Date.now() + DAY_S * 1_000 + 1);
  });

  test('ends a key of limited time on its last day, and not before', async () => {
    const key = await newTestKey((await gateway.createTenant()).apiKey);
    const made = await gateway.call(key, 'POST /v1/api-keys', { rotates: null, expiresInDays: 30 });
    const limited = made.body['secret'] as string;
    const { createdAt, expiresAt } = made.body as Record<string, string>;
    expect(Math.round((Date.parse(expiresAt!) - Date.parse(createdAt!)) / 1_000)).toBe(30 * DAY_S);
    const advance = (advanceSeconds: number) =>
      gateway.call(key, 'POST /v1/sandbox/clock', { advanceSeconds });
    await advance(30 * DAY_S - 60);
    expect((await gateway.call(limited, 'GET /v1/sessions')).status).toBe(200);
    await advance(60);
    expect((await gateway.call(limited, 'GET /v1/sessions')).status).toBe(401);
  });

  test.each([0, -60, 1.5, 366 * DAY_S + 1, '60', undefined])(
    'does not move by %p',
    async (advanceSeconds) => {
      expect(await gateway.call(testKey, 'POST /v1/sandbox/clock', { advanceSeconds })).toMatchObject({
        status: 400,
        body: {
          code: 'VALIDATION_FAILED',
          meta: { fields: expect.arrayContaining([expect.objectContaining({ field: 'advanceSeconds' })]) },
        },
      });
    },
  );

  test('goes ten years ahead and no further, however often it is moved, until the operator resets it', async () => {
    const { tenantId, apiKey } = await gateway.createTenant();
    const key = await newTestKey(apiKey);
    const advance = (advanceSeconds: number) =>
      gateway.call(key, 'POST /v1/sandbox/clock', { advanceSeconds });
    const calls = await Promise.all(Array.from({ length: 20 }, () => advance(366 * DAY_S)));
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(9);
    const rule =
      'advanceSeconds must leave the clock ten years ahead at most, which are 315576000 seconds: it is 284601600 ahead';
    expect(calls.filter(({ status }) => status === 400).map(({ body }) => body)).toEqual(
      Array.from({ length: 11 }, () =>
        expect.objectContaining({
          code: 'VALIDATION_FAILED',
          meta: expect.objectContaining({ fields: [{ field: 'advanceSeconds', rule }] }),
        }),
      ),
    );
    expect((await advance(30_974_400)).status).toBe(200);
    expect((await advance(1)).status).toBe(400);
    expect(await gateway.service.rpc.request(ResetSandboxClock, { tenantId })).toMatchObject({ offsetMs: 0 });
    expect((await gateway.call(key, 'GET /v1/sandbox/clock')).body['aheadSeconds']).toBe(0);
    expect((await advance(60)).body['aheadSeconds']).toBe(60);
  });

  test('is reset where there is one', async () => {
    const { tenantId } = await gateway.createTenant();
    for (const without of [tenantId, randomUUID()])
      await expect(
        gateway.service.rpc.request(ResetSandboxClock, { tenantId: without }),
      ).rejects.toMatchObject({
        code: 'TENANT_NOT_FOUND',
      });
  });

  test('is the only one that a service can move, by the database', async () => {
    const move = (tenantId: string, ms: number) =>
      gateway.service.database.query('SELECT gateway.advance_sandbox_clock($1, $2)', [tenantId, ms]);
    await expect(move(tenant.tenantId, 1_000)).rejects.toThrow('only the clock of a sandbox');
    await expect(move(randomUUID(), 1_000)).rejects.toThrow('only the clock of a sandbox');
  });
});
