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
    expect((await list(apiKey)).status).toBe(200);
    expect((await list(made.secret)).status).toBe(200);
    await gateway.service.rpc.request(AgeKey, { kid, hours: 24 });
    expect((await list(apiKey)).status).toBe(401);
    expect((await list(made.secret)).status).toBe(200);
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
    expect((await list(apiKey)).body['items']).toHaveLength(2);
    // An answer that was lost is asked for again when its time is over.
    await sql(`UPDATE gateway.api_key SET rotated_at = rotated_at - interval '2 seconds' WHERE kid = $1`, [
      kid,
    ]);
    expect((await rotate()).status).toBe(201);
  });

  test('into keys that may do less is none: several are made one after the other', async () => {
    const { apiKey } = await gateway.createTenant();
    for (const scope of ['messages:read', 'messages:send', 'webhooks:manage']) {
      expect((await make(apiKey, { scopes: [scope] })).scope).toBe(scope);
    }
    expect((await make(apiKey)).scope).toBe('*');
  });

  test('takes the scopes as answers name them, too, but not both', async () => {
    const { apiKey } = await gateway.createTenant();
    const { scopes, scope } = await make(apiKey, {
      rotates: null,
      scopes: ['messages:read', 'webhooks:manage'],
    });
    expect(await make(apiKey, { rotates: null, scope })).toMatchObject({ scopes, scope });
    for (const wrong of [
      { scope, scopes },
      { scope: 'root' },
      { scope: 'messages:read,messages:send' },
      { scope: '' },
    ]) {
      const answer = await gateway.call(apiKey, 'POST /v1/api-keys', { rotates: null, ...wrong });
      expectError(answer, 400, 'VALIDATION_FAILED');
      expect(fieldsOf(answer)).toEqual(['scope']);
    }
  });

  test('once more does not give the old key more time', async () => {
    const { apiKey, kid } = await gateway.createTenant();
    await make(apiKey);
    await gateway.service.rpc.request(AgeKey, { kid, hours: 23 });
    const again = await make(apiKey);
    expect(Date.parse(again.rotated?.expiresAt ?? '') - Date.now()).toBeLessThan(3_600_000);
  });

  test('of null makes a key beside the others, of a kid replaces that key and takes over its name and scopes', async () => {
    const { apiKey } = await gateway.createTenant();
    const beside = await make(apiKey, { name: 'Reader', scopes: ['messages:read'], rotates: null });
    expect(beside).toMatchObject({ rotated: null, scope: 'messages:read' });
    const next = await make(apiKey, { rotates: beside.kid });
    expect(next).toMatchObject({ name: 'Reader', scopes: ['messages:read'], rotated: { kid: beside.kid } });
    const { body } = await list(apiKey);
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
      expect((await list(apiKey)).status).toBe(200);
      await standStill(expiry);
      expect((await list(apiKey)).status).toBe(401);
    } finally {
      await sql(original?.['text'] as string);
    }
  });
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
