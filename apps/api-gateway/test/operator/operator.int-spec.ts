import { afterEach, describe, expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import {
  AgeKey,
  type AuditEntry,
  CreateSubscription,
  GetAuditLog,
  ListTenants,
  SetClock,
} from '@svc/contracts';
import { DataSource } from 'typeorm';
import { GatewayConfig } from '../../src/config.js';
import { SendPermissions } from '../../src/auth/send-permissions.js';
import { TimeTravelService } from '../../src/operator/time-travel.service.js';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => gateway.service.rpc.request(SetClock, { at: null }));

const auditOf = async (tenantId: string): Promise<AuditEntry[]> =>
  (await gateway.service.rpc.request(GetAuditLog, { tenantId })).items;

describe('a new tenant', () => {
  test('has a key that works, a subscription, a dashboard user and a line in its audit log', async () => {
    const { tenantId, apiKey, kid, dashboard } = await gateway.createTenant({
      name: 'Müller & Co',
      plan: 'STARTER',
    });
    expect((await gateway.call(apiKey, 'GET /v1/sessions')).status).toBe(200);
    expect(gateway.fakes.subscriptions.get(tenantId)).toMatchObject({ plan: 'STARTER', status: 'ACTIVE' });
    expect(dashboard.email).toBe('owner@muller-co.example');
    const [user] = await gateway.service.database.query<{ id: string; password_hash: string }>(
      'SELECT id, password_hash FROM gateway.dashboard_user WHERE tenant_id = $1 AND email = $2',
      [tenantId, dashboard.email],
    );
    expect(user?.password_hash).toMatch(/^\$argon2id\$/);
    expect(await verify(user?.password_hash ?? '', dashboard.password)).toBe(true);
    expect(dashboard.password.length).toBeGreaterThanOrEqual(20);
    const lines = (await auditOf(tenantId)).map(
      ({ actor, action, target }) => `${actor} ${action} ${target}`,
    );
    expect(lines).toEqual([
      `operator api_key.created ${kid}`,
      `operator member.added ${user?.id}`,
      `operator tenant.created ${tenantId}`,
    ]);
  });

  test('may have the name of another, also at the same moment', async () => {
    const twins = await Promise.all([1, 2, 3].map(() => gateway.createTenant({ name: 'Twins' })));
    expect(new Set(twins.map(({ dashboard }) => dashboard.email)).size).toBe(3);
  });

  test('is not made while billing is away', async () => {
    const count = () => gateway.service.database.query('SELECT count(*)::int FROM gateway.tenant');
    const before = await count();
    await gateway.fakes.without(CreateSubscription, async () => {
      await expect(gateway.createTenant()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    });
    expect(await count()).toEqual(before);
  });

  test('is listed with what billing says', async () => {
    const { tenantId } = await gateway.createTenant({
      name: 'Listed',
      subscription: 'TRIALING',
      internal: true,
    });
    const { items } = await gateway.service.rpc.request(ListTenants, {});
    expect(items).toContainEqual({
      ...{ tenantId, name: 'Listed', plan: 'GROWTH', subscription: 'TRIALING', internal: true },
      createdAt: expect.stringMatching(/Z$/),
    });
  });
});

describe('time', () => {
  test('moves and comes back', async () => {
    const begun = Date.now();
    const aheadMs = 40 * 24 * 3_600_000;
    const at = new Date(begun + aheadMs).toISOString();
    const moved = await gateway.service.rpc.request(SetClock, { at });
    const tookMs = Date.now() - begun + 1;
    for (const late of [Date.parse(moved.now) - Date.parse(at), aheadMs - moved.offsetMs]) {
      expect(late).toBeGreaterThanOrEqual(-1);
      expect(late).toBeLessThanOrEqual(tookMs);
    }
    const back = await gateway.service.rpc.request(SetClock, { at: null });
    expect(back.offsetMs).toBe(0);
  });

  test('that moves on ends the overlap of a rotated key', async () => {
    const { apiKey } = await gateway.createTenant();
    await gateway.call(apiKey, 'POST /v1/api-keys');
    const move = (hours: number) =>
      gateway.service.rpc.request(SetClock, { at: new Date(Date.now() + hours * 3_600_000).toISOString() });
    await move(23.9);
    expect((await gateway.call(apiKey, 'GET /v1/sessions')).status).toBe(200);
    await move(24.1);
    expect((await gateway.call(apiKey, 'GET /v1/sessions')).status).toBe(401);
  });

  test('of an unknown key cannot be moved', async () => {
    const aged = gateway.service.rpc.request(AgeKey, { kid: 'x'.repeat(12), hours: 1 });
    await expect(aged).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND' });
  });

  test('stands still for everybody in production', async () => {
    const production = Object.assign(new GatewayConfig(), { mode: 'production' });
    const time = new TimeTravelService(
      gateway.service.get(DataSource),
      production,
      gateway.service.get(SendPermissions),
    );
    await expect(time.setClock(null)).rejects.toMatchObject({ code: 'DEVELOPMENT_ONLY' });
    await expect(time.ageKey({ kid: 'x'.repeat(12), hours: 1 })).rejects.toMatchObject({
      code: 'DEVELOPMENT_ONLY',
    });
  });
});

describe('the audit log', () => {
  test.each([`UPDATE audit_log SET actor = 'nobody'`, 'DELETE FROM audit_log', 'TRUNCATE audit_log'])(
    'refuses to be changed: %s',
    async (statement) => {
      await gateway.createTenant();
      await expect(gateway.service.get(DataSource).query(statement)).rejects.toThrow(
        /append-only|permission denied/,
      );
      await expect(
        gateway.service.database.query(statement.replace('audit_log', 'gateway.audit_log')),
      ).rejects.toThrow('append-only');
    },
  );
});
