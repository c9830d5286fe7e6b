import { describe, expect, test } from '@jest/globals';
import {
  AgeKey,
  type ApiKeyView,
  GetAuditLog,
  type NewApiKey,
  type NewTenant,
  type Scope,
} from '@svc/contracts';
import { KeyUsage } from '../../src/auth/key-verifier.js';
import { generateKey } from '../../src/auth/api-key.js';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const list = (key: string | undefined, headers = {}): Promise<Answer> =>
  gateway.call(key, 'GET /v1/api-keys', undefined, headers);
const make = async (key: string, body?: object): Promise<NewApiKey> => {
  const answer = await gateway.call(key, 'POST /v1/api-keys', body);
  expect(answer.status).toBe(201);
  return answer.body as unknown as NewApiKey;
};
const sql = (statement: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> =>
  gateway.service.database.query(statement, parameters);
const auditOf = async ({ tenantId }: NewTenant): Promise<string[]> => {
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId });
  return items.map(({ actor, action, target }) => `${actor} ${action} ${target}`);
};

describe('a request', () => {
  test('with a key of the tenant is let in', async () => {
    expect((await list(tenant.apiKey)).status).toBe(200);
    expect((await list(undefined, { authorization: `bearer  ${tenant.apiKey} ` })).status).toBe(200);
  });

  const { key: stranger } = generateKey('live');
  test.each([
    ['no header', () => ({})],
    ['an empty header', () => ({ authorization: '' })],
    ['another scheme', () => ({ authorization: `Basic ${tenant.apiKey}` })],
    ['the key alone', () => ({ authorization: tenant.apiKey })],
    ['a key nobody has', () => ({ authorization: `Bearer ${stranger}` })],
    ['a wrong checksum', () => ({ authorization: `Bearer ${mistyped(tenant.apiKey)}` })],
    ['a letter that keys do not have', () => ({ authorization: `Bearer ${tenant.apiKey.slice(0, -1)}!` })],
    ['the kid of a key and the secret of another', () => ({ authorization: `Bearer ${mixed()}` })],
    [
      'the sandbox spelling of a live key',
      () => ({ authorization: `Bearer ${tenant.apiKey.replace('live', 'test')}` }),
    ],
    ['the key in the query', () => ({ 'x-api-key': tenant.apiKey })],
  ])('with %s is 401, the same body for every cause', async (_, headers) => {
    const answer = await list(undefined, headers());
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.body).toEqual({
      code: 'UNAUTHENTICATED',
      message: 'The API key is missing, unknown, expired or revoked.',
      requestId: answer.headers.get('x-request-id'),
      meta: {},
    });
  });

  // The key has the right form and checksum, so that only the digest stands in its way: a stranger's bits under an existing kid.
  function mixed(): string {
    for (;;) {
      const { body } = generateKey('live');
      const payload = tenant.kid + body.slice(12, 44);
      return `rk_live_${payload}${checksumOf(payload)}`;
    }
  }
});

function mistyped(key: string): string {
  return key.slice(0, -1) + (key.endsWith('7') ? '8' : '7');
}

/** Computes the checksum, which is published: anybody may compute it. */
function checksumOf(payload: string): string {
  const table = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let crc = 0xffffffff;
  for (const byte of Buffer.from(payload)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let text = '';
  for (let i = 0; i < 6; i += 1) {
    text = table.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

test('a new key takes the scopes as answers name them, too, and both where they say the same', async () => {
  const { apiKey } = await gateway.createTenant();
  const { scopes, scope } = await make(apiKey, {
    rotates: null,
    scopes: ['messages:read', 'webhooks:manage'],
  });
  expect(await make(apiKey, { rotates: null, scope })).toMatchObject({ scopes, scope });
  expect(await make(apiKey, { rotates: null, scope, scopes })).toMatchObject({ scopes, scope });
  for (const wrong of [
    { scope, scopes: ['messages:read'] },
    { scope: 'root' },
    { scope: 'messages:read,messages:send' },
    { scope: '' },
  ]) {
    const answer = await gateway.call(apiKey, 'POST /v1/api-keys', { rotates: null, ...wrong });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual(['scope']);
  }
});

describe('the list of keys', () => {
  test('never shows a secret, goes page by page, and leaves out what was revoked', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const made = [];
    for (let i = 0; i < 4; i += 1) made.push(await make(apiKey, { rotates: null, name: `Key ${i}` }));
    const [gone] = made;
    expect((await gateway.call(apiKey, `DELETE /v1/api-keys/${gone?.kid}`)).status).toBe(204);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await gateway.call(apiKey, `/v1/api-keys?limit=2${cursor && `&before=${cursor}`}`);
      seen.push(...(body['items'] as ApiKeyView[]).map((item) => item.kid));
      expect(JSON.stringify(body)).not.toContain('rk_live_');
      cursor = body['nextCursor'] as string | null;
    }
    expect(seen).toEqual([made[3]?.kid, made[2]?.kid, made[1]?.kid, kid]);
  });

  test('shows one that has expired for 30 days more; then the next one that is made takes its row away', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const old = await make(apiKey, { rotates: null, expiresInDays: 1 });
    const kids = async (): Promise<string[]> =>
      ((await list(apiKey)).body['items'] as ApiKeyView[]).map((item) => item.kid);
    const rows = (): Promise<object[]> => sql('SELECT FROM gateway.api_key WHERE kid = $1', [old.kid]);
    await gateway.service.rpc.request(AgeKey, { kid: old.kid, hours: 31 * 24 - 1 });
    expect((await list(old.secret)).status).toBe(401);
    expect(await kids()).toEqual([kid, old.kid]);
    await gateway.service.rpc.request(AgeKey, { kid: old.kid, hours: 1 });
    expect(await kids()).toEqual([kid]);
    expect(await rows()).toHaveLength(1);
    const revoked = await make(apiKey, { rotates: null });
    await gateway.call(apiKey, `DELETE /v1/api-keys/${revoked.kid}`);
    expect([await rows(), await kids()]).toEqual([[], [kid]]);
  });

  test('shows when a key was last used, after the minute in which uses are gathered', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    const begun = Date.now();
    await list(apiKey);
    const usage = gateway.service.get(KeyUsage);
    await usage.flush();
    expect(usage['used'].size).toBe(0);
    const { body } = await list(apiKey);
    const [item] = body['items'] as ApiKeyView[];
    expect(item?.kid).toBe(kid);
    expect(Date.parse(item?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(begun);
    expect(Date.parse(item?.lastUsedAt ?? '')).toBeLessThanOrEqual(Date.now());
  });

  test('shows it also where the use of another key cannot be written', async () => {
    const [sick, healthy] = [await gateway.createTenant(), await gateway.createTenant()];
    await sql(`
      CREATE FUNCTION gateway.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'nobody foresaw this' USING ERRCODE = '22000'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON gateway.api_key FOR EACH ROW
        WHEN (NEW.kid = '${sick.kid}') EXECUTE FUNCTION gateway.refuse()`);
    const usedAt = async ({ apiKey }: NewTenant): Promise<string | null | undefined> =>
      ((await list(apiKey)).body['items'] as ApiKeyView[])[0]?.lastUsedAt;
    for (const { apiKey } of [sick, healthy]) await list(apiKey);
    const usage = gateway.service.get(KeyUsage);
    await usage.flush();
    expect(usage['used'].size).toBe(0);
    expect([await usedAt(sick), await usedAt(healthy)]).toEqual([null, expect.any(String)]);
    await sql('DROP FUNCTION gateway.refuse() CASCADE');
  });
});

test('a key older than 90 days should be replaced, a younger one need not be', async () => {
  const { apiKey, kid } = await gateway.createTenant();
  const due = async (): Promise<boolean | undefined> =>
    ((await list(apiKey)).body['items'] as ApiKeyView[])[0]?.rotationDue;
  await gateway.service.rpc.request(AgeKey, { kid, hours: 90 * 24 - 1 });
  expect(await due()).toBe(false);
  await gateway.service.rpc.request(AgeKey, { kid, hours: 1 });
  expect(await due()).toBe(true);
  expect((await make(apiKey)).rotationDue).toBe(false);
});

test('a revoked key is refused with the next request', async () => {
  const { apiKey, tenantId } = await gateway.createTenant();
  const extra = await make(apiKey, { rotates: null });
  expect((await list(extra.secret)).status).toBe(200);
  expect((await gateway.call(apiKey, `DELETE /v1/api-keys/${extra.kid}`)).status).toBe(204);
  expect((await list(extra.secret)).status).toBe(401);
  expect((await gateway.call(apiKey, `DELETE /v1/api-keys/${extra.kid}`)).body['code']).toBe(
    'API_KEY_NOT_FOUND',
  );
  expect(await auditOf({ tenantId } as NewTenant)).toContainEqual(
    expect.stringContaining(`api_key.revoked ${extra.kid}`),
  );
});

test('null is what is left out, but for what it says of the key that is replaced', async () => {
  const own = await gateway.createTenant();
  const nothing = { name: null, scopes: null, scope: null };
  const [key] = (await list(own.apiKey)).body['items'] as ApiKeyView[];
  const replaced = await make(own.apiKey, { ...nothing, expiresInDays: null });
  expect(replaced).toMatchObject({ name: key?.name, scopes: key?.scopes, rotated: { kid: own.kid } });
  const beside = await make(replaced.secret, { ...nothing, rotates: null });
  expect(beside).toMatchObject({ name: 'API key', rotated: null });
  const test = await make(replaced.secret, { ...nothing, environment: 'TEST' });
  expect(test).toMatchObject({ name: 'Test key', environment: 'TEST' });
});

describe('a string that was found somewhere', () => {
  const check = (candidates: unknown): Promise<Answer> =>
    gateway.call(tenant.apiKey, 'POST /v1/api-keys/check', { candidates });

  test('is a key by its form and checksum alone, whether it works, was revoked or never was', async () => {
    const stranger = await gateway.createTenant();
    const revoked = await make(tenant.apiKey, { rotates: null });
    await gateway.call(tenant.apiKey, `DELETE /v1/api-keys/${revoked.kid}`);
    const keys = [
      tenant.apiKey,
      stranger.apiKey,
      revoked.secret,
      generateKey('live').key,
      generateKey('test').key,
    ];
    const others = [
      mistyped(tenant.apiKey),
      tenant.apiKey.slice(8),
      ` ${tenant.apiKey}`,
      'sk_live_0123456789',
      '',
    ];
    const { status, body } = await check([...keys, ...others]);
    expect(status).toBe(200);
    const expected = [...keys.map(() => true), ...others.map(() => false)];
    expect(body).toEqual({ items: expected.map((isKey) => ({ isKey })) });
  });

  test.each([
    ['nothing', undefined],
    ['no list', 'KEY'],
    ['an empty list', []],
    ['101 of them', Array<string>(101).fill('KEY')],
    ['what is no text', [['KEY']]],
    ['one that is too long', ['KEY'.repeat(10)]],
  ])('is not repeated where %s is refused', async (_, candidates) => {
    const text = JSON.stringify({ candidates }).replaceAll('KEY', tenant.apiKey);
    const { status, body } = await check((JSON.parse(text) as { candidates?: unknown }).candidates);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      meta: { fields: expect.arrayContaining([{ field: 'candidates', rule: expect.any(String) }]) },
    });
    expect(JSON.stringify(body)).not.toContain(tenant.apiKey.slice(8, 20));
  });
});

describe('a scope', () => {
  const routes: [string, Scope][] = [
    ['POST /v1/messages', 'messages:send'],
    ['GET /v1/messages', 'messages:read'],
    ['GET /v1/sessions', 'messages:read'],
    ['POST /v1/sessions', 'admin:*'],
    ['GET /v1/webhooks', 'webhooks:manage'],
    ['GET /v1/api-keys', 'admin:*'],
    ['POST /v1/api-keys/check', 'admin:*'],
  ];

  test.each(['messages:send', 'messages:read', 'webhooks:manage', 'admin:*'] as const)(
    '%s opens its own routes and no others',
    async (scope) => {
      const { secret } = await make(tenant.apiKey, { scopes: [scope], rotates: null });
      for (const [route, needed] of routes) {
        const { status } = await gateway.call(secret, route);
        const allowed = scope === 'admin:*' || scope === needed;
        expect([route, status === 403]).toEqual([route, !allowed]);
      }
    },
  );
});

test('nothing of a key but its digest is stored', async () => {
  const { apiKey } = await gateway.createTenant();
  const [row] = await sql('SELECT *, digest::text AS digest FROM gateway.api_key WHERE kid = $1', [
    apiKey.slice(8, 20),
  ]);
  expect(JSON.stringify(row)).not.toContain(apiKey.slice(20, 40));
});
