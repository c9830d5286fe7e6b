import { describe, expect, test } from '@jest/globals';
import { AgeKey, type ApiKeyView, GetAuditLog, type NewApiKey, type NewTenant } from '@svc/contracts';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();

const DAY_MS = 24 * 3_600_000;

const ask = (key: string, body?: object): Promise<Answer> => gateway.call(key, 'POST /v1/api-keys', body);
const make = async (key: string, body?: object): Promise<NewApiKey> => {
  const answer = await ask(key, body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as unknown as NewApiKey;
};
const use = async (key: string): Promise<number> => (await gateway.call(key, 'GET /v1/sessions')).status;
const revoke = (key: string, kid: string): Promise<Answer> => gateway.call(key, `DELETE /v1/api-keys/${kid}`);
const age = (kid: string, hours: number): Promise<object> =>
  gateway.service.rpc.request(AgeKey, { kid, hours });
const sql = (statement: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
  gateway.service.database.query(statement, parameters);
const auditOf = async ({ tenantId }: NewTenant): Promise<string[]> => {
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId });
  return items.map(({ actor, action, target }) => `${actor} ${action} ${target}`);
};
/** Days from now until a key ends, to the nearest; null: never. */
const daysLeft = ({ expiresAt }: { expiresAt: string | null }): number | null =>
  expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.now()) / DAY_MS);
const conflict = (code: string, meta = {}): object => ({ status: 409, body: { code, meta } });

describe('a rotation', () => {
  test('gives a new key and 24 hours to the calling one', async () => {
    const { apiKey, kid, tenantId } = await gateway.createTenant();
    const made = await make(apiKey);
    expect(made).toMatchObject({
      name: 'First key',
      scopes: ['*'],
      scope: '*',
      rotationDue: false,
      expiresAt: null,
      rotated: { kid },
    });
    expect(made.secret).toMatch(/^rk_live_[A-Za-z0-9]{50}$/);
    const hours = (Date.parse(made.rotated?.expiresAt ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.99);
    expect(hours).toBeLessThanOrEqual(24);
    expect(await use(apiKey)).toBe(200);
    expect(await use(made.secret)).toBe(200);
    await age(kid, 24);
    expect(await use(apiKey)).toBe(401);
    expect(await use(made.secret)).toBe(200);
    expect(await auditOf({ tenantId } as NewTenant)).toEqual(
      expect.arrayContaining([`key:${kid} api_key.rotated ${kid}`, `key:${kid} api_key.created ${made.kid}`]),
    );
  });

  test('by two deployments at the same moment succeeds for one of them; the other hears so, and makes no key', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const rotate = (): Promise<Answer> => gateway.call(apiKey, 'POST /v1/api-keys');
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    answers.push(await rotate());
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'API_KEY_CONFLICT' });
    expect((await gateway.call(apiKey, 'GET /v1/api-keys')).body['items']).toHaveLength(2);
    // An answer that was lost is asked for again when its time is over.
    await age(kid, 1);
    expect((await rotate()).status).toBe(201);
  });

  test('once more does not give the old key more time', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    await make(apiKey);
    await age(kid, 23);
    const again = await make(apiKey);
    expect(Date.parse(again.rotated?.expiresAt ?? '') - Date.now()).toBeLessThan(3_600_000);
  });

  test('of null makes a key beside the others, of a kid replaces that key and takes over its name and scopes', async () => {
    const { apiKey } = await gateway.createTenant();
    const beside = await make(apiKey, { name: 'Reader', scopes: ['messages:read'], rotates: null });
    expect(beside).toMatchObject({ rotated: null, scope: 'messages:read' });
    const next = await make(apiKey, { rotates: beside.kid });
    expect(next).toMatchObject({ name: 'Reader', scopes: ['messages:read'], rotated: { kid: beside.kid } });
    const { body } = await gateway.call(apiKey, 'GET /v1/api-keys');
    const expiring = (body['items'] as ApiKeyView[]).filter(({ expiresAt }) => expiresAt !== null);
    expect(expiring.map(({ kid }) => kid)).toEqual([beside.kid]);
  });
});

describe('the last moment of a key', () => {
  test('is the last millisecond of its 24 hours', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    await make(apiKey);
    const [row] = await sql('SELECT expires_at FROM gateway.api_key WHERE kid = $1', [kid]);
    const expiry = row?.['expires_at'] as Date;
    const [original] = await sql(`SELECT pg_get_functiondef('public.svc_now(uuid)'::regprocedure) AS text`);
    const standStill = async (at: Date): Promise<void> => {
      await sql(`CREATE OR REPLACE FUNCTION public.svc_now(tenant uuid DEFAULT NULL) RETURNS timestamptz
        LANGUAGE sql STABLE AS $$ SELECT '${at.toISOString()}'::timestamptz $$`);
      gateway.invalidatePermissions();
    };
    try {
      await standStill(new Date(expiry.getTime() - 1));
      expect(await use(apiKey)).toBe(200);
      await standStill(expiry);
      expect(await use(apiKey)).toBe(401);
    } finally {
      await sql(original?.['text'] as string);
    }
  });
});

describe('a call', () => {
  test('for less than the calling key may do makes a key beside it, which keeps its time', async () => {
    const { apiKey } = await gateway.createTenant();
    for (const scope of ['messages:read', 'messages:send', 'webhooks:manage']) {
      expect(await make(apiKey, { name: 'CRM', scopes: [scope] })).toMatchObject({ scope, rotated: null });
    }
    expect(await make(apiKey, { expiresInDays: 30 })).toMatchObject({ scope: '*', rotated: null });
    expect(JSON.stringify((await gateway.call(apiKey, 'GET /v1/api-keys')).body)).toContain(
      `"name":"First key","scopes":["*"]`,
    );
    const { rotated } = await make(apiKey);
    expect(rotated?.kid).toBe(apiKey.slice(8, 20));
  });

  test.each([
    ['a name', { name: 'Deployment of May' }],
    ['the same scopes', { scopes: ['*'] }],
    ['as many scopes under another name', { scopes: ['admin:*'] }],
    ['scopes of which one is all', { scopes: ['messages:send', '*'] }],
  ])('for no less, with %s, replaces the calling key', async (_, body) => {
    const { apiKey, kid } = await gateway.createTenant();
    expect(await make(apiKey, body)).toMatchObject({ ...body, rotated: { kid } });
  });

  test('that names the calling key replaces it by one with less, where another has all', async () => {
    const { apiKey } = await gateway.createTenant();
    const { secret, kid } = await make(apiKey, { name: 'CRM', rotates: null });
    const body = { rotates: kid, scopes: ['messages:send'], expiresInDays: 30 };
    const made = await make(secret, body);
    expect(made).toMatchObject({ name: 'CRM', scope: 'messages:send', rotated: { kid } });
    expect(daysLeft(made)).toBe(30);
  });

  test('for a key that has expired is refused: its successor would have, too', async () => {
    const { apiKey } = await gateway.createTenant();
    const { kid } = await make(apiKey, { rotates: null, expiresInDays: 1 });
    await age(kid, 24);
    expect(await ask(apiKey, { rotates: kid })).toMatchObject({
      status: 404,
      body: { code: 'API_KEY_NOT_FOUND', message: expect.stringContaining('expired') },
    });
  });
});

describe('the last key that may do everything and has no end', () => {
  const refused = conflict('LAST_ADMIN_KEY');

  test('is not revoked, by itself or by one that has an end', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const guest = await make(apiKey, { expiresInDays: 30 });
    await make(apiKey, { scopes: ['messages:send'] });
    for (const key of [apiKey, guest.secret]) {
      const answer = await revoke(key, kid);
      expect(answer).toMatchObject(refused);
      expect(answer.body['message']).toContain('admin:*');
    }
    expect(await use(apiKey)).toBe(200);
    const second = await make(apiKey, { scopes: ['admin:*'], rotates: null });
    expect((await revoke(apiKey, kid)).status).toBe(204);
    expect(await revoke(second.secret, second.kid)).toMatchObject(refused);
  });

  test.each([
    ['fewer scopes', { scopes: ['messages:send', 'messages:read', 'webhooks:manage'] }],
    ['an end', { expiresInDays: 3650 }],
  ])('is not replaced by one with %s', async (_, less) => {
    const { apiKey, kid, tenantId } = await gateway.createTenant();
    expect(await ask(apiKey, { rotates: kid, ...less })).toMatchObject(refused);
    await age(kid, 25);
    expect(await use(apiKey)).toBe(200);
    expect(await auditOf({ tenantId } as NewTenant)).not.toContainEqual(expect.stringContaining('rotated'));
  });

  test('is replaced by its equal at any time, and revoked by that where it has leaked', async () => {
    const tenant = await gateway.createTenant();
    const subscription = gateway.fakes.subscriptions.get(tenant.tenantId) as object;
    for (let n = 0; n < 3; n += 1) await make(tenant.apiKey, { rotates: null, scopes: ['messages:send'] });
    // A plan with less room than there are keys.
    Object.assign(subscription, { entitlements: { keys: 2 } });
    const next = await make(tenant.apiKey);
    expect(next.rotated?.kid).toBe(tenant.kid);
    expect((await revoke(next.secret, tenant.kid)).status).toBe(204);
    expect([await use(tenant.apiKey), await use(next.secret)]).toEqual([401, 200]);
  });

  test('stays where two are revoked, or replaced by less, at the same moment', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const other = await make(apiKey, { rotates: null });
    const guest = await make(apiKey, { expiresInDays: 30 });
    const answers = await Promise.all([
      revoke(guest.secret, kid),
      ask(guest.secret, { rotates: other.kid, scopes: ['messages:send'] }),
    ]);
    expect(answers.map(({ status }) => status < 300).sort()).toEqual([false, true]);
    expect(answers.find(({ status }) => status >= 300)).toMatchObject(refused);
  });

  test('of a sandbox may be revoked: a live key makes another', async () => {
    const live = await gateway.createTenant();
    const { apiKey, kid } = await gateway.sandboxOf(live);
    expect((await revoke(apiKey, kid)).status).toBe(204);
    expect(await use((await make(live.apiKey, { environment: 'TEST' })).secret)).toBe(200);
  });
});

describe('a key without admin:*', () => {
  const SCOPES = ['messages:send', 'messages:read'];
  const narrow = async (more = {}): Promise<NewApiKey & { tenant: NewTenant }> => {
    const tenant = await gateway.createTenant();
    return { ...(await make(tenant.apiKey, { name: 'Bot', scopes: SCOPES, ...more })), tenant };
  };

  test('replaces itself, and works for 24 hours more', async () => {
    const { secret, kid } = await narrow();
    const next = await make(secret);
    expect(next).toMatchObject({ name: 'Bot', scopes: SCOPES, expiresAt: null, rotated: { kid } });
    expect(daysLeft(next.rotated as { expiresAt: string })).toBe(1);
    expect([await use(secret), await use(next.secret)]).toEqual([200, 200]);
    await age(kid, 24);
    expect([await use(secret), await use(next.secret)]).toEqual([401, 200]);
  });

  test.each([
    ['left out', false],
    ['its own', true],
  ])('may do less from then on, with `rotates` %s', async (_, isNamed) => {
    const { secret, kid } = await narrow();
    const made = await make(secret, { scopes: ['messages:read'], ...(isNamed && { rotates: kid }) });
    expect(made).toMatchObject({ scope: 'messages:read', rotated: { kid } });
  });

  test('hands on no scope that it lacks, and makes and replaces no other key', async () => {
    const { secret, kid, tenant } = await narrow();
    const stranger = await gateway.createTenant();
    for (const body of [
      { scopes: [...SCOPES, 'webhooks:manage'] },
      { scopes: ['admin:*'] },
      { scopes: ['*'], rotates: kid },
      { rotates: null },
      { rotates: null, scopes: ['messages:read'] },
      { rotates: tenant.kid },
      { rotates: stranger.kid },
      { environment: 'TEST' },
    ]) {
      expect([body, await ask(secret, body)]).toEqual([
        body,
        expect.objectContaining({ status: 403, body: expect.objectContaining({ code: 'FORBIDDEN' }) }),
      ]);
    }
    expect((await revoke(secret, kid)).status).toBe(403);
    const { items } = (await gateway.call(tenant.apiKey, 'GET /v1/api-keys')).body as { items: object[] };
    expect(items).toEqual([expect.objectContaining({ kid, expiresAt: null }), expect.anything()]);
  });

  test('hands its end on, or a sooner one, and no later one', async () => {
    const { secret } = await narrow({ expiresInDays: 30 });
    for (const expiresInDays of [31, null]) {
      expect(await ask(secret, { expiresInDays })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'expiresInDays' }] } },
      });
    }
    const next = await make(secret);
    expect(daysLeft(next)).toBe(30);
    expect(daysLeft(await make(next.secret, { expiresInDays: 7 }))).toBe(7);
  });

  test('that ends within the 24 hours keeps its end', async () => {
    const { secret, kid } = await narrow({ expiresInDays: 1 });
    await age(kid, 23);
    const next = await make(secret);
    expect(next.rotated?.expiresAt).toBe(next.expiresAt);
    expect(Date.parse(next.expiresAt ?? '') - Date.now()).toBeLessThan(DAY_MS / 24);
  });
});

describe('the end of an admin key', () => {
  test('is handed on, unless the body gives another one or none', async () => {
    const { apiKey } = await gateway.createTenant();
    const guest = await make(apiKey, { expiresInDays: 30 });
    const next = await make(guest.secret);
    expect(daysLeft(next)).toBe(30);
    const longer = await make(next.secret, { expiresInDays: 90 });
    expect([daysLeft(longer), longer.rotated?.kid]).toEqual([90, next.kid]);
    const endless = await make(longer.secret, { expiresInDays: null });
    expect([daysLeft(endless), endless.rotated?.kid]).toEqual([null, longer.kid]);
  });
});

describe('a key in its last 24 hours', () => {
  test('is replaced once more while nobody has used the new one, which then ends', async () => {
    const tenant = await gateway.createTenant();
    const old = await make(tenant.apiKey, { scopes: ['messages:read'], expiresInDays: 30 });
    const lost = await make(old.secret);
    await age(old.kid, 1);
    const next = await make(old.secret);
    expect(next).toMatchObject({ scopes: ['messages:read'], rotated: { kid: old.kid } });
    expect(daysLeft(next)).toBe(30);
    expect([await use(lost.secret), await use(next.secret), await use(old.secret)]).toEqual([401, 200, 200]);
    expect(await auditOf(tenant)).toContain(`key:${old.kid} api_key.revoked ${lost.kid}`);
  });

  test('is not once the new one is in use, whoever asks', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const next = await make(apiKey);
    expect(await use(next.secret)).toBe(200);
    await age(kid, 1);
    const refused = conflict('API_KEY_REPLACED', { kid: next.kid });
    expect(await ask(apiKey)).toMatchObject(refused);
    expect(await ask(next.secret, { rotates: kid })).toMatchObject(refused);
    expect(await use(next.secret)).toBe(200);
    expect((await make(apiKey, { rotates: null })).rotated).toBeNull();
  });

  test('is not once the new one was replaced itself', async () => {
    const { apiKey } = await gateway.createTenant();
    const [bot, spare] = [await make(apiKey, { scopes: ['messages:read'] }), await make(apiKey)];
    const next = await make(bot.secret);
    await make(spare.secret, { rotates: next.kid });
    await age(bot.kid, 1);
    expect(await ask(bot.secret)).toMatchObject(conflict('API_KEY_REPLACED'));
  });

  test('does not take away the last key that may do everything with the new one', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const next = await make(apiKey);
    await age(kid, 1);
    expect(await ask(apiKey, { rotates: kid, scopes: ['messages:read'] })).toMatchObject(
      conflict('LAST_ADMIN_KEY'),
    );
    expect(await use(next.secret)).toBe(200);
  });

  test('and the first use of the new one at the same moment: either it is used, or it has ended', async () => {
    const { apiKey } = await gateway.createTenant();
    for (let n = 0; n < 5; n += 1) {
      const old = await make(apiKey, { scopes: ['messages:read'] });
      const next = await make(old.secret);
      await age(old.kid, 1);
      const [used, replaced] = await Promise.all([use(next.secret), ask(old.secret)]);
      expect([used, replaced.status]).toEqual(used === 200 ? [200, 409] : [401, 201]);
    }
  });
});
