import { beforeAll, describe, expect, test } from '@jest/globals';
import { AgeKey, type NewTenant, type Scope } from '@svc/contracts';
import {
  type ApiDocument,
  type ApiOperation,
  apiOperations,
  idFor,
  idsInPath,
  isStream,
  pathWithIds,
  referencesOf,
  type ResourceIds,
  responseFor,
  withIds,
} from '@svc/testing';
import { generateKey } from '../../src/auth/api-key.js';
import { expectError } from '../support/answers.js';
import { bodyExample, furnish } from '../support/furnish.js';
import { type Answer, gateway, withSandboxGateway } from '../support/gateway.js';

withSandboxGateway();

const KEY_SCOPES: Scope[] = ['messages:send', 'messages:read', 'webhooks:manage'];
const UNKNOWN_ID = '0198c0de-0000-7000-8000-0000000000ff';
const OVERLAP_HOURS = 24;

let document: ApiDocument;
let operations: ApiOperation[];
let mine: NewTenant;
let theirs: NewTenant;
let myIds: ResourceIds;
let theirIds: ResourceIds;
let sandbox: NewTenant;
let sandboxIds: ResourceIds;
let otherSandboxIds: ResourceIds;
let overdue: string;

beforeAll(async () => {
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as ApiDocument;
  operations = apiOperations(document);
  [mine, theirs] = [await gateway.createTenant(), await gateway.createTenant()];
  [myIds, theirIds] = [await furnish(mine, 'my'), await furnish(theirs, 'their secret')];
  [sandbox, sandboxIds] = await furnishedSandbox(mine);
  [, otherSandboxIds] = await furnishedSandbox(theirs);
  overdue = await rotated();
});

async function furnishedSandbox(tenant: NewTenant): Promise<[NewTenant, ResourceIds]> {
  const made = await gateway.sandboxOf(tenant);
  return [made, await furnish(made, 'their secret')];
}

/** Makes the secret of a key that was replaced, and whose overlap has ended to the second. */
async function rotated(): Promise<string> {
  const old = (await gateway.call(mine.apiKey, 'POST /v1/api-keys', { name: 'old', rotates: null })).body;
  await gateway.call(mine.apiKey, 'POST /v1/api-keys', { rotates: old['kid'] });
  await gateway.service.rpc.request(AgeKey, { kid: String(old['kid']), hours: OVERLAP_HOURS });
  return String(old['secret']);
}

async function keyWith(scopes: Scope[]): Promise<string> {
  const made = await gateway.call(mine.apiKey, 'POST /v1/api-keys', { scopes, rotates: null });
  return String(made.body['secret']);
}

/** Writes a call as the description shows it, with these ids. */
function call(operation: ApiOperation, key: string | undefined, ids: ResourceIds): Promise<Answer> {
  const example = bodyExample(document, operation);
  const path = pathWithIds(operation, ids);
  return gateway.call(key, `${operation.method} ${path}`, example && referring(operation, example, ids));
}

/** Makes a body that names a resource wherever it can, also where the example does not. */
function referring(operation: ApiOperation, example: object, ids: ResourceIds): object {
  const named = referencesOf(document, operation)
    .filter((field) => field in example && typeof (example as Record<string, unknown>)[field] !== 'object')
    .concat('rotates' in example ? ['rotates'] : [])
    .map((field) => [field, idFor(field, ids)]);
  return { ...(withIds(example, ids) as object), ...(Object.fromEntries(named) as object) };
}

const guarded = (): ApiOperation[] => operations.filter(({ scope }) => scope !== undefined);

/** Lists the operations that can be asked for a resource of another tenant. */
const naming = (): ApiOperation[] =>
  guarded().filter(
    (operation) =>
      Object.keys(idsInPath(operation)).length > 0 || referencesOf(document, operation).length > 0,
  );

/** Asks every operation, so that one look shows all that answer something else. */
async function each(
  asked: ApiOperation[],
  ask: (operation: ApiOperation) => Promise<[status: number, code: string, answer: Answer]>,
): Promise<void> {
  expect(asked.length).toBeGreaterThan(10);
  const wrong: unknown[] = [];
  for (const operation of asked) {
    const [status, code, answer] = await ask(operation);
    try {
      expectError(answer, status, code);
      expect(responseFor(operation, status)?.['x-error-codes']).toContain(code);
    } catch {
      wrong.push([operation.route, answer.status, answer.body]);
    }
  }
  expect(wrong).toEqual([]);
}

// Keys that no route takes, whatever its scope.
const KEYS: { caller: string; key: () => string | undefined }[] = [
  { caller: 'no key', key: () => undefined },
  { caller: 'a key nobody has', key: () => generateKey('live').key },
  { caller: 'a sandbox key nobody has', key: () => generateKey('test').key },
  { caller: 'a key that was rotated, its overlap over', key: () => overdue },
];

describe('every route', () => {
  test.each(KEYS)('refuses $caller', async ({ key }) => {
    await each(guarded(), async (operation) => {
      const answer = await call(operation, key(), myIds);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      return [401, 'UNAUTHENTICATED', answer];
    });
  });

  test('refuses a key with every scope but its own, and names that', async () => {
    const keys = new Map<string, string>();
    for (const scope of [...KEY_SCOPES, 'admin:*'] as Scope[]) {
      keys.set(scope, await keyWith(KEY_SCOPES.filter((one) => one !== scope)));
    }
    // A message over MCP is for every key: which tools it may call has a test of its own.
    const scoped = guarded().filter(({ path }) => path !== '/v1/mcp');
    await each(scoped, async (operation) => {
      // A route for every key refuses what it does for the others alone.
      const scope = operation.scope === 'any' ? 'admin:*' : String(operation.scope);
      const answer = await call(operation, keys.get(scope), myIds);
      expect([operation.route, answer.body['meta']]).toEqual([operation.route, { scope }]);
      return [403, 'FORBIDDEN', answer];
    });
  });

  test.each<{ whose: string; caller: () => NewTenant; ids: () => ResourceIds; environment: 'LIVE' | 'TEST' }>(
    [
      { whose: "another tenant's id", caller: () => mine, ids: () => theirIds, environment: 'LIVE' },
      { whose: 'an id of its sandbox', caller: () => mine, ids: () => sandboxIds, environment: 'LIVE' },
      { whose: 'a sandbox key at a live id', caller: () => sandbox, ids: () => myIds, environment: 'TEST' },
      {
        whose: "another sandbox's id",
        caller: () => sandbox,
        ids: () => otherSandboxIds,
        environment: 'TEST',
      },
    ],
  )('refuses $whose, says nothing of it and changes nothing', async ({ caller, ids, environment }) => {
    const { sessions, dispatcher, promotions } = gateway.fakes;
    const snapshot = (): string => JSON.stringify([[...sessions], [...dispatcher.endpoints], promotions]);
    const before = snapshot();
    await each(naming(), async (operation) => {
      const answer = await call(operation, caller().apiKey, ids());
      expect(JSON.stringify(answer.body)).not.toMatch(/secret|their/);
      const isElsewhere = operation.environment !== undefined && operation.environment !== environment;
      return [
        403,
        isElsewhere ? `${operation.environment === 'TEST' ? 'SANDBOX' : 'LIVE'}_ONLY` : 'FORBIDDEN',
        answer,
      ];
    });
    expect(snapshot()).toBe(before);
  });

  test('answers an id that nobody has with 404 of its resource', async () => {
    const unknown = Object.fromEntries(Object.keys(myIds).map((name) => [name, UNKNOWN_ID]));
    const ids = { ...unknown, 'api-keys': '000000000000', phone: '4915112345678' };
    await each(
      naming().filter(
        (operation) => Object.keys(idsInPath(operation)).length > 0 && operation.environment !== 'TEST',
      ),
      async (operation) => {
        const answer = await call(operation, mine.apiKey, ids);
        expect([operation.route, answer.body['code']]).toEqual([
          operation.route,
          expect.stringMatching(/_NOT_FOUND$/),
        ]);
        return [404, String(answer.body['code']), answer];
      },
    );
  });

  test('without a scope is for everybody', async () => {
    for (const operation of operations.filter(({ scope }) => scope === undefined)) {
      expect([operation.route, (await call(operation, undefined, myIds)).status]).not.toEqual([
        operation.route,
        401,
      ]);
    }
  });
});

// Callers with nothing of their own, and whose things they must not be shown.
const STRANGERS: { caller: string; meet: () => Promise<{ key: string; ids: ResourceIds }> }[] = [
  {
    caller: 'another tenant',
    meet: async () => ({ key: (await gateway.createTenant()).apiKey, ids: theirIds }),
  },
  {
    caller: 'the sandbox of the tenant',
    meet: async () => {
      const live = await gateway.createTenant();
      return { key: (await gateway.sandboxOf(live)).apiKey, ids: await furnish(live, 'their secret') };
    },
  },
  {
    caller: 'the tenant of the sandbox',
    meet: async () => {
      const live = await gateway.createTenant();
      const [, ids] = await furnishedSandbox(live);
      return { key: live.apiKey, ids };
    },
  },
];

describe.each(STRANGERS)('$caller', ({ meet }) => {
  let key: string;
  let ids: ResourceIds;
  beforeAll(async () => ({ key, ids } = await meet()));

  test('is shown nothing by lists, also when they are asked for it', async () => {
    const lists = guarded().filter(
      (operation) => operation.method === 'GET' && !operation.path.includes('{') && !isStream(operation),
    );
    for (const { path, parameters } of lists) {
      const filters = parameters.filter(({ name, in: place }) => place === 'query' && idFor(name, ids));
      const queries = ['', ...filters.map(({ name }) => `?${name}=${idFor(name, ids)}`)];
      for (const query of queries) {
        const { body } = await gateway.call(key, `GET ${path}${query}`);
        const shown = JSON.stringify(body);
        expect([path, /secret|their/.test(shown)]).toEqual([path, false]);
        for (const id of new Set(Object.values(ids)))
          expect([path, id !== ids['contact'] && shown.includes(id)]).toEqual([path, false]);
      }
    }
  });

  test('is told nothing of a person whom only the other one knows', async () => {
    const persons = guarded().filter(
      ({ path, environment }) => path.includes('{contact}') && environment !== 'TEST',
    );
    expect(persons.map(({ route }) => route)).toContain('get /v1/contacts/{contact}');
    for (const operation of persons) {
      const answer = await call(operation, key, ids);
      expect([operation.route, answer.status, answer.body['code']]).toEqual([
        operation.route,
        404,
        'CONTACT_NOT_FOUND',
      ]);
    }
  });
});

test('a route of one environment refuses a key of the other, whatever it is asked for', async () => {
  const only = guarded().filter(({ environment }) => environment !== undefined);
  expect(new Set(only.map(({ environment }) => environment))).toEqual(new Set(['LIVE', 'TEST']));
  for (const operation of only) {
    const isSandbox = operation.environment === 'TEST';
    const [key, ids] = isSandbox ? [mine.apiKey, myIds] : [sandbox.apiKey, sandboxIds];
    const { status, body } = await call(operation, key, ids);
    expect([operation.route, status, body['code']]).toEqual([
      operation.route,
      403,
      isSandbox ? 'SANDBOX_ONLY' : 'LIVE_ONLY',
    ]);
  }
});

test('what is its own stays with its tenant', async () => {
  for (const operation of guarded().filter(({ method, path }) => method === 'GET' && path.includes('{'))) {
    const [key, ids] =
      operation.environment === 'TEST' ? [sandbox.apiKey, sandboxIds] : [theirs.apiKey, theirIds];
    const { status } = await call(operation, key, ids);
    expect([operation.route, [401, 403].includes(status)]).toEqual([operation.route, false]);
  }
});

test("another tenant's cursor is refused", async () => {
  for (let i = 0; i < 2; i += 1) gateway.fakes.addSession(theirs.tenantId);
  const { body } = await gateway.call(theirs.apiKey, 'GET /v1/sessions?limit=1');
  const answer = await gateway.call(mine.apiKey, `GET /v1/sessions?before=${body['nextCursor'] as string}`);
  expectError(answer, 400, 'VALIDATION_FAILED');
});
