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

  test('can be rotated at the bound: one that is replaced does not count in its last 24 hours', async () => {
    const tenant = await own({ keys: 2 });
    const { body: other } = await make(tenant);
    expect(await make(tenant, { rotates: other['kid'] })).toMatchObject({ status: 201 });
    const { status, body } = await make(tenant, {});
    expect([status, body['rotated']]).toEqual([201, expect.objectContaining({ kid: tenant.kid })]);
    expect((await gateway.call(tenant.apiKey, 'GET /v1/api-keys')).status).toBe(200);
    expect(await limitsOf(tenant)).toMatchObject({ apiKeys: { limit: 2, used: 2, left: 0 } });
    expect(await make(tenant)).toMatchObject(refusal('keys', 2));
  });

  test('that are replaced are no more than the others may be: a chain of rotations ends', async () => {
    const tenant = await own({ keys: 2 });
    let newest = tenant;
    for (let n = 0; n < 2; n += 1) {
      const { status, body } = await make(newest, {});
      expect(status).toBe(201);
      newest = { ...newest, apiKey: String(body['secret']) };
    }
    const refused = await make(newest, {});
    expect(refused).toMatchObject(refusal('keys', 2));
    expect(refused.body['message']).toContain('replaced');
    await gateway.call(newest.apiKey, `DELETE /v1/api-keys/${tenant.kid}`);
    expect(await make(newest, {})).toMatchObject({ status: 201 });
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

  test('that replace themselves without end leave the admin key room to be replaced', async () => {
    const tenant = await own({ keys: 2 });
    let leaked = String((await make(tenant, { scopes: ['messages:send'] })).body['secret']);
    const rotate = (): Promise<Answer> => gateway.call(leaked, 'POST /v1/api-keys');
    for (let n = 0; n < 2; n += 1) leaked = String((await rotate()).body['secret']);
    expect(await rotate()).toMatchObject(refusal('keys', 2));
    expect(await make(tenant, {})).toMatchObject({ status: 201 });
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
