import { describe, expect, test } from '@jest/globals';
import {
  type AuditEntry,
  GetAuditLog,
  type NewApiKey,
  PutBoundEndpoint,
  SetBotMode,
  type WebhookEndpoint,
} from '@svc/contracts';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const audit = async (): Promise<AuditEntry[]> =>
  (await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId })).items;

describe('external mode', () => {
  const external = (id: string, body: object): Promise<Answer> =>
    call(`PUT /v1/sessions/${id}/external-config`, body);
  const url = 'https://example.com/bot';

  test('needs a URL the first time, and has none before', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toEqual({
      ...{ botMode: 'MANAGED', webhookUrl: null, webhookSecret: null },
    });
    const refused = await external(id, { enabled: true });
    expect(refused).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'webhookUrl' }] } } });
    const wrong = await external(id, { enabled: true, webhookUrl: 'ftp://example.com' });
    expect(wrong).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'webhookUrl' }] } } });
    expect(gateway.fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  });

  test('is enabled, disabled and enabled again with the same secret', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const on = await external(id, { enabled: true, webhookUrl: url });
    const secret = on.body['webhookSecret'] as string;
    expect(on).toMatchObject({ status: 200, body: { botMode: 'EXTERNAL', webhookUrl: url } });
    expect(on.body['env']).toEqual({
      ...{ SVC_TENANT_ID: tenant.tenantId, SVC_SESSION_ID: id, SVC_WEBHOOK_SECRET: secret },
    });
    const off = await external(id, { enabled: false });
    expect(off.body).toEqual({ botMode: 'MANAGED', webhookUrl: url, webhookSecret: secret });
    const bound = [...gateway.fakes.dispatcher.endpoints.values()].find(
      ({ endpoint }) => endpoint.sessionId === id,
    );
    expect(bound?.endpoint.status).toBe('DISABLED');
    expect((await external(id, { enabled: true })).body).toMatchObject({
      botMode: 'EXTERNAL',
      webhookSecret: secret,
    });
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toEqual({
      ...{ botMode: 'EXTERNAL', webhookUrl: url, webhookSecret: secret },
    });
  });

  test('has its receiver before the mode changes, and keeps it until the mode has changed back', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const order = (): string[] =>
      gateway.fakes.asked.filter(
        (subject) => subject === SetBotMode.subject || subject === PutBoundEndpoint.subject,
      );
    gateway.fakes.asked = [];
    await external(id, { enabled: true, webhookUrl: url });
    expect(order()).toEqual([PutBoundEndpoint.subject, SetBotMode.subject]);
    gateway.fakes.asked = [];
    await external(id, { enabled: false });
    expect(order()).toEqual([SetBotMode.subject, PutBoundEndpoint.subject]);
  });

  test('rotates the secret, and mints a key that works and rotates nothing', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const first = await external(id, { enabled: true, webhookUrl: url });
    const next = await external(id, { enabled: true, rotateSecret: true, mintApiKey: true });
    expect(next.body['webhookSecret']).not.toBe(first.body['webhookSecret']);
    const env = next.body['env'] as Record<string, string>;
    expect(env['SVC_WEBHOOK_SECRET']).toBe(next.body['webhookSecret']);
    expect((await gateway.call(env['SVC_API_KEY'], 'GET /v1/sessions')).status).toBe(200);
    expect(JSON.stringify((await call('GET /v1/api-keys')).body)).not.toMatch(/"expiresAt":"/);
  });

  test('keeps its endpoint: it is not deleted and its events are not narrowed by itself', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    await external(id, { enabled: true, webhookUrl: url });
    const { items } = (await call('GET /v1/webhooks?limit=200')).body as { items: WebhookEndpoint[] };
    const path = `/v1/webhooks/${items.find(({ sessionId }) => sessionId === id)?.id}`;
    const conflict = { status: 409, body: { code: 'SESSION_STATE_CONFLICT' } };
    expect(await call(`DELETE ${path}`)).toMatchObject(conflict);
    expect(await call(`PATCH ${path}`, { events: ['message.sent'] })).toMatchObject(conflict);
    expect(await call(`PATCH ${path}`, { name: 'My bot' })).toMatchObject({ status: 200 });
  });

  test('mints no key for a caller that may not make keys', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const narrow = (await call('POST /v1/api-keys', { scopes: ['webhooks:manage'], rotates: null }))
      .body as unknown as NewApiKey;
    const body = { enabled: true, webhookUrl: url, mintApiKey: true };
    const answer = await gateway.call(narrow.secret, `PUT /v1/sessions/${id}/external-config`, body);
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(gateway.fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  });

  test('leaves a trace: the mode, each sight of the secret, the key; and never a secret itself', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const { body } = await external(id, { enabled: true, webhookUrl: url, mintApiKey: true });
    await call(`GET /v1/sessions/${id}/external-config`);
    const entries = await audit();
    expect(
      entries.filter(({ target }) => target === id).map(({ action, actor }) => `${actor} ${action}`),
    ).toEqual([
      `key:${tenant.kid} webhook_secret.read`,
      `key:${tenant.kid} webhook_secret.read`,
      `key:${tenant.kid} bot_mode.changed`,
    ]);
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'api_key.created',
        details: expect.objectContaining({ name: 'Bot of Support line' }),
      }),
    );
    const text = JSON.stringify(entries);
    expect(text).not.toContain(body['webhookSecret']);
    expect(text).not.toContain((body['env'] as Record<string, string>)['SVC_API_KEY']);
  });
});
