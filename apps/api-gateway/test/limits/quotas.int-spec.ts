import { describe, expect, test } from '@jest/globals';
import { AgeKey, type Entitlements, GetAuditLog, type NewTenant } from '@svc/contracts';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

/** A tenant with numbers of its own. */
async function own(numbers: Partial<Entitlements>): Promise<NewTenant> {
  const made = await gateway.createTenant();
  Object.assign(gateway.fakes.subscriptions.get(made.tenantId) as object, { entitlements: numbers });
  return made;
}

const refusal = (quota: string, limit: number, used = limit): object => ({
  status: 409,
  body: { code: 'QUOTA_CONFLICT', meta: { quota, limit, used } },
});

/** Calls so many times at once, and sorts the answers: those that went through first. */
async function atOnce(times: number, call: (n: number) => Promise<Answer>): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, (_, n) => call(n)));
  return answers.map(({ status }) => status).sort();
}

const limitsOf = async ({ apiKey }: NewTenant): Promise<Record<string, unknown>> =>
  (await gateway.call(apiKey, 'GET /v1/limits')).body;
const sql = (statement: string, parameters: unknown[]): Promise<Record<string, unknown>[]> =>
  gateway.service.database.query(statement, parameters);

describe('API keys', () => {
  const make = ({ apiKey }: NewTenant, body: object = { rotates: null }): Promise<Answer> =>
    gateway.call(apiKey, 'POST /v1/api-keys', body);
  const use = async (key: string | undefined): Promise<number> =>
    (await gateway.call(key, 'GET /v1/sessions')).status;
  /** Replaces a key by its equal, which is used from then on. */
  const rotate = async (key: string | undefined): Promise<string> => {
    const { status, body } = await gateway.call(key, 'POST /v1/api-keys');
    expect([status, body['code']]).toEqual([201, undefined]);
    const secret = String(body['secret']);
    expect(await use(secret)).toBe(200);
    return secret;
  };
  const kidOf = (key = ''): string => key.slice(8, 20);

  test('are as many as the tenant may have; one that is revoked makes room', async () => {
    const tenant = await own({ keys: 2 });
    const { status, body } = await make(tenant);
    expect(status).toBe(201);
    expect(await make(tenant)).toMatchObject(refusal('keys', 2));
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { limit: 2, used: 2, left: 0 } });
    await gateway.call(tenant.apiKey, `DELETE /v1/api-keys/${String(body['kid'])}`);
    expect(await make(tenant)).toMatchObject({ status: 201 });
  });

  test('that are refused expire no other key and leave no line in the audit log', async () => {
    const tenant = await own({ keys: 1 });
    expect(await make(tenant, { scopes: ['messages:read'] })).toMatchObject(refusal('keys', 1));
    const [key] = await sql('SELECT expires_at FROM gateway.api_key WHERE tenant_id = $1', [tenant.tenantId]);
    expect(key).toEqual({ expires_at: null });
    const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
    expect(items.map(({ action }) => action)).not.toContain('api_key.rotated');
  });

  test('can be rotated at the bound: one that is replaced and the new one count as one', async () => {
    const tenant = await own({ keys: 2 });
    const { body: other } = await make(tenant);
    expect(await make(tenant, { rotates: other['kid'] })).toMatchObject({ status: 201 });
    const { status, body } = await make(tenant, {});
    expect([status, body['rotated']]).toEqual([201, expect.objectContaining({ kid: tenant.kid })]);
    expect((await gateway.call(tenant.apiKey, 'GET /v1/api-keys')).status).toBe(200);
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { limit: 2, used: 2, left: 0 } });
    expect(await make(tenant)).toMatchObject(refusal('keys', 2));
  });

  test('are replaced at the bound as often as one likes, and those before work on for their 24 hours', async () => {
    const tenant = await own({ keys: 1 });
    const keys = [tenant.apiKey];
    for (let n = 0; n < 3; n += 1) keys.push(await rotate(keys.at(-1)));
    expect(await Promise.all(keys.map(use))).toEqual([200, 200, 200, 200]);
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { limit: 1, used: 1, left: 0 } });
    expect(await make(tenant)).toMatchObject(refusal('keys', 1));
  });

  test('have ten replaced ones before them at most: the one with the least time left ends early, those of others do not', async () => {
    const tenant = await own({ keys: 2 });
    const bots = [String((await make(tenant, { scopes: ['messages:read'] })).body['secret'])];
    const admin = await rotate(tenant.apiKey);
    for (let n = 0; n < 11; n += 1) bots.push(await rotate(bots.at(-1)));
    expect(await Promise.all(bots.map(use))).toEqual([401, ...Array.from({ length: 11 }, () => 200)]);
    expect(await Promise.all([tenant.apiKey, admin].map(use))).toEqual([200, 200]);
    const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
    const revoked = items.filter(({ action }) => action === 'api_key.revoked');
    expect(revoked).toMatchObject([
      { actor: `key:${kidOf(bots.at(-2))}`, target: kidOf(bots[0]), details: { mostReplaced: 10 } },
    ]);
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { used: 2 } });
  });

  test('count while one that they have replaced works, which can be replaced where the new one was revoked', async () => {
    const tenant = await own({ keys: 2 });
    const bot = String((await make(tenant, { scopes: ['messages:read'] })).body['secret']);
    const { body: lost } = await gateway.call(bot, 'POST /v1/api-keys');
    await gateway.call(tenant.apiKey, `DELETE /v1/api-keys/${String(lost['kid'])}`);
    expect(await make(tenant)).toMatchObject(refusal('keys', 2));
    await gateway.service.rpc.request(AgeKey, { kid: kidOf(bot), hours: 1 });
    expect(await use(await rotate(bot))).toBe(200);
    await gateway.service.rpc.request(AgeKey, { kid: kidOf(bot), hours: 23 });
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { used: 2 } });
  });

  test('that are replaced make no room for a second successor', async () => {
    const tenant = await own({ keys: 1 });
    const { body: first } = await make(tenant, {});
    await gateway.service.rpc.request(AgeKey, { kid: tenant.kid, hours: 1 });
    const { status, body: second } = await make(tenant, {});
    expect(status).toBe(201);
    await gateway.call(String(second['secret']), 'GET /v1/sessions');
    await gateway.service.rpc.request(AgeKey, { kid: tenant.kid, hours: 1 });
    expect(await make(tenant, {})).toMatchObject({ status: 409, body: { code: 'API_KEY_REPLACED' } });
    expect((await gateway.call(String(first['secret']), 'GET /v1/sessions')).status).toBe(401);
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { used: 1 } });
  });

  test('that have expired do not count', async () => {
    const tenant = await own({ keys: 2 });
    const { kid } = (await make(tenant)).body;
    await sql('UPDATE gateway.api_key SET expires_at = svc_now() WHERE kid = $1', [kid]);
    expect(await make(tenant)).toMatchObject({ status: 201 });
  });

  test('of external bots count, too', async () => {
    const tenant = await own({ keys: 1 });
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const config = { enabled: true, webhookUrl: 'https://example.com/hook', mintApiKey: true };
    const answer = await gateway.call(tenant.apiKey, `PUT /v1/sessions/${id}/external-config`, config);
    expect(answer).toMatchObject(refusal('keys', 1));
  });

  test('asked for at once are no more', async () => {
    const tenant = await own({ keys: 3 });
    expect(await atOnce(6, () => make(tenant))).toEqual([201, 201, 409, 409, 409, 409]);
  });

  test('that work no more are forgotten, the oldest first, beyond a thousand', async () => {
    const tenant = await own({ keys: 10_000 });
    await sql(
      `INSERT INTO gateway.api_key (kid, tenant_id, digest, pepper_version, env, scopes, name, last4, created_at, revoked_at)
       SELECT 'old' || n, $1, sha256('x'), 1, 'live', '{*}', 'old', 'abcd', now() - n * interval '1 day', now()
       FROM generate_series(1, 1010) n`,
      [tenant.tenantId],
    );
    await make(tenant);
    const [count] = await sql(
      `SELECT count(*)::int AS dead, max(now() - created_at) < interval '1001 days' AS young
       FROM gateway.api_key WHERE tenant_id = $1 AND revoked_at IS NOT NULL`,
      [tenant.tenantId],
    );
    expect(count).toEqual({ dead: 1_000, young: true });
  });
});

describe('widgets', () => {
  const make = async ({ tenantId, apiKey }: NewTenant, sessionId?: string): Promise<Answer> => {
    const id = sessionId ?? gateway.fakes.addSession(tenantId).id;
    const body = { sessionId: id, title: 'x', greeting: 'x', allowedOrigins: ['https://www.example.com'] };
    return gateway.call(apiKey, 'POST /v1/widgets', body);
  };

  test('are as many as the tenant may have; one that is deleted makes room', async () => {
    const tenant = await own({ widgets: 1 });
    const { status, body } = await make(tenant);
    expect(status).toBe(201);
    expect(await make(tenant)).toMatchObject(refusal('widgets', 1));
    expect(await limitsOf(tenant)).toMatchObject({ widgets: { limit: 1, used: 1, left: 0 } });
    await gateway.call(tenant.apiKey, `DELETE /v1/widgets/${String(body['id'])}`);
    expect(await make(tenant)).toMatchObject({ status: 201 });
  });

  test('asked for at once are no more', async () => {
    const tenant = await own({ widgets: 2 });
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    expect(await atOnce(5, () => make(tenant, id))).toEqual([201, 201, 409, 409, 409]);
  });
});

describe('endpoints', () => {
  const make = ({ apiKey }: NewTenant): Promise<Answer> =>
    gateway.call(apiKey, 'POST /v1/webhooks', { name: 'CRM', url: 'https://example.com/hook', events: [] });

  test('are as many as the tenant may have; one that is deleted makes room', async () => {
    const tenant = await own({ endpoints: 1 });
    const { status, body } = await make(tenant);
    expect(status).toBe(201);
    expect(await make(tenant)).toMatchObject(refusal('endpoints', 1));
    expect(await limitsOf(tenant)).toMatchObject({ endpoints: { limit: 1, used: 1, left: 0 } });
    await gateway.call(tenant.apiKey, `DELETE /v1/webhooks/${String(body['id'])}`);
    expect(await make(tenant)).toMatchObject({ status: 201 });
  });

  test('of the internal tenant are as many as it likes', async () => {
    const tenant = await gateway.createTenant({ internal: true });
    expect(await make(tenant)).toMatchObject({ status: 201 });
    expect(await limitsOf(tenant)).toMatchObject({ endpoints: { limit: null, used: 1, left: null } });
  });
});

describe('scheduled messages', () => {
  test('asked for at once are no more than may wait', async () => {
    const tenant = await own({ scheduled: 3 });
    const { id: sessionId } = gateway.fakes.addSession(tenant.tenantId);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const body = { sessionId, to: '+15550001111', text: 'x', sendAt };
    const send = (): Promise<Answer> => gateway.call(tenant.apiKey, 'POST /v1/messages', body);
    expect(await atOnce(8, send)).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    const answer = await send();
    expect(answer).toMatchObject({ status: 429, body: { meta: { layer: 'schedule', limit: 3, used: 3 } } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await limitsOf(tenant)).toMatchObject({ scheduled: { limit: 3, used: 3, left: 0 } });
  });
});
