import { describe, expect, test } from '@jest/globals';
import {
  CreateKey,
  DeleteTenant,
  GetAuditLog,
  ListKeys,
  type NewApiKey,
  type NewTenantKey,
  RevokeKey,
} from '@svc/contracts';
import { gateway, withGateway } from '../support/gateway.js';

withGateway();

const create = (tenantId: string, more = {}): Promise<NewTenantKey> =>
  gateway.service.rpc.request(CreateKey, { tenantId, ...more });
const revoke = (tenantId: string, kid: string): Promise<object> =>
  gateway.service.rpc.request(RevokeKey, { tenantId, kid, operator: 'Ada' });
const use = async (key: string): Promise<number> => (await gateway.call(key, 'GET /v1/api-keys')).status;
const auditOf = async (tenantId: string): Promise<string[]> => {
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId });
  return items.map(({ actor, action, target }) => `${actor} ${action} ${target}`);
};

describe('the operator', () => {
  test('helps a tenant that has locked itself out, whatever it has, and leaves a line with the name', async () => {
    const { tenantId, apiKey, kid } = await gateway.createTenant();
    const subscription = gateway.fakes.subscriptions.get(tenantId) as object;
    Object.assign(subscription, { entitlements: { keys: 0 } });
    await revoke(tenantId, kid);
    expect(await use(apiKey)).toBe(401);
    const made = await create(tenantId, { name: 'By phone', operator: 'Ada' });
    expect(await use(made.apiKey)).toBe(200);
    expect((await gateway.call(made.apiKey, 'POST /v1/api-keys')).status).toBe(201);
    expect(await auditOf(tenantId)).toEqual(
      expect.arrayContaining([
        `operator:Ada api_key.revoked ${kid}`,
        `operator:Ada api_key.created ${made.kid}`,
      ]),
    );
  });

  test('lists the keys of a tenant and of no other, without their secrets', async () => {
    const { tenantId, apiKey, kid } = await gateway.createTenant();
    const { body } = await gateway.call(apiKey, 'POST /v1/api-keys', {
      ...{ name: 'CRM', scopes: ['messages:send'], expiresInDays: 30 },
    });
    const bot = body as unknown as NewApiKey;
    const { items } = await gateway.service.rpc.request(ListKeys, { tenantId });
    expect(items).toEqual([
      {
        ...{ kid: bot.kid, name: 'CRM', scopes: ['messages:send'], createdAt: bot.createdAt },
        ...{ expiresAt: bot.expiresAt, lastUsedAt: null },
      },
      expect.objectContaining({ kid, name: 'First key', expiresAt: null, lastUsedAt: expect.any(String) }),
    ]);
    expect(JSON.stringify(items)).not.toContain(bot.last4);
  });

  test("does not reach a key under another tenant's id, nor a tenant that is not there", async () => {
    const [mine, theirs] = [await gateway.createTenant(), await gateway.createTenant()];
    await expect(revoke(mine.tenantId, theirs.kid)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(revoke(mine.tenantId, '000000000000')).rejects.toMatchObject({ code: 'API_KEY_NOT_FOUND' });
    expect(await use(theirs.apiKey)).toBe(200);
    const nobody = '0198c0de-0000-7000-8000-000000000000';
    const notFound = { code: 'TENANT_NOT_FOUND' };
    await expect(create(nobody)).rejects.toMatchObject(notFound);
    await expect(revoke(nobody, mine.kid)).rejects.toMatchObject(notFound);
    await expect(gateway.service.rpc.request(ListKeys, { tenantId: nobody })).rejects.toMatchObject(notFound);
  });

  test('makes a test key in a sandbox, and none of a tenant that is being deleted', async () => {
    const live = await gateway.createTenant();
    const sandbox = await gateway.sandboxOf(live);
    expect((await create(sandbox.tenantId)).apiKey).toMatch(/^rk_test_/);
    await gateway.service.rpc.request(DeleteTenant, { tenantId: live.tenantId });
    for (const { tenantId } of [live, sandbox]) {
      await expect(create(tenantId)).rejects.toMatchObject({
        code: expect.stringMatching(/^TENANT_(STATE_CONFLICT|NOT_FOUND)$/),
      });
    }
  });
});
