import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { verify } from '@node-rs/argon2';
import {
  AgeKey,
  type AuditEntry,
  CreateSubscription,
  GetAuditLog,
  ListTenants,
  SessionTierChanged,
  SetClock,
  WebhookChanged,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
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
  test('gets a promotion with its reason, once, however often its event comes', async () => {
    const { tenantId } = await gateway.createTenant();
    const data = {
      ...{ sessionId: randomUUID(), previousTier: 0, tier: 2, reason: 'old number', actor: 'key:abc' },
      timestamp: '2026-01-31T12:00:00.000Z',
    };
    const event = envelopeOf(SessionTierChanged, { tenantId }, data);
    const { jetstream } = gateway.fakes.messaging;
    // Without a message id, so that the stream does not recognise the repeat.
    for (let i = 0; i < 3; i += 1)
      await jetstream.publish('evt.0.session.tier_changed', JSON.stringify(event));
    const last = envelopeOf(SessionTierChanged, { tenantId }, { ...data, tier: 3 });
    await gateway.fakes.messaging.publishEvent(last);
    const found = await waitFor('both promotions', async () => {
      const promotions = (await auditOf(tenantId)).filter(({ action }) => action === 'warmup_tier.promoted');
      return promotions.length >= 2 && promotions;
    });
    expect(found.map(({ details }) => details['tier']).sort()).toEqual([2, 3]);
    expect(found.find(({ id }) => id === event.id)).toEqual({
      ...{
        id: event.id,
        at: data.timestamp,
        actor: 'key:abc',
        action: 'warmup_tier.promoted',
        reason: 'old number',
      },
      ...{ target: data.sessionId, details: { previousTier: 0, tier: 2 }, tenantId },
      ...{ place: expect.any(Number), prevHash: expect.any(String), hash: expect.any(String) },
    });
  });

  test('gets a change of an endpoint once, with its origin and the fields that changed', async () => {
    const { tenantId } = await gateway.createTenant();
    const data = {
      ...{ endpointId: randomUUID(), sessionId: null, change: 'updated' as const, name: 'CRM' },
      ...{ origin: 'https://example.com', fields: ['url'], actor: 'key:abc' },
      timestamp: '2026-01-31T12:00:00.000Z',
    };
    const event = envelopeOf(WebhookChanged, { tenantId }, data);
    const { messaging } = gateway.fakes;
    for (let i = 0; i < 2; i += 1)
      await messaging.jetstream.publish('evt.0.webhook.changed', JSON.stringify(event));
    const bound = { ...data, change: 'deleted' as const, sessionId: randomUUID(), fields: [] };
    await messaging.publishEvent(envelopeOf(WebhookChanged, { tenantId }, bound));
    const found = await waitFor('both lines', async () => {
      const lines = (await auditOf(tenantId)).filter(({ action }) => action.startsWith('webhook.'));
      return lines.length >= 2 && lines;
    });
    const updated = found.filter(({ action }) => action === 'webhook.updated');
    expect(updated).toMatchObject([
      {
        ...{ id: event.id, at: data.timestamp, actor: 'key:abc', target: data.endpointId, reason: null },
        details: { name: 'CRM', origin: 'https://example.com', fields: ['url'] },
      },
    ]);
    const deleted = found.filter(({ action }) => action === 'webhook.deleted');
    const { sessionId } = bound;
    expect(deleted).toMatchObject([{ details: { name: 'CRM', origin: 'https://example.com', sessionId } }]);
  });

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
