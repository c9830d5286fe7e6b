import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { NewTenant } from '@svc/contracts';
import {
  type ApiDocument,
  type ApiOperation,
  apiOperations,
  type JsonSchema,
  resolveSchema,
} from '@svc/testing';
import { fieldsOf } from '../support/answers.js';
import { bodyExample } from '../support/furnish.js';
import { type Answer, gateway, tenant, withSandboxGateway } from '../support/gateway.js';

withSandboxGateway({ REQUESTS_PER_SECOND: '0' });

let document: ApiDocument;
let operations: ApiOperation[];
let sandbox: NewTenant;

beforeAll(async () => {
  sandbox = await gateway.sandboxOf(tenant);
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as ApiDocument;
  operations = apiOperations(document).filter(({ scope }) => scope !== undefined);
  expect(operations.length).toBeGreaterThan(50);
});

/** Values of a path that nobody has: what is wrong with a request is told before anybody looks. */
const NOBODYS: Record<string, string> = { phone: '15550009999', contact: '15550009999', kid: 'aaaaaaaaaaaa' };

function call(
  { method, path, environment }: ApiOperation,
  query: string,
  body?: unknown,
  ids: Record<string, string> = NOBODYS,
): Promise<Answer> {
  const { apiKey } = environment === 'TEST' ? sandbox : tenant;
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
  return gateway.call(apiKey, `${method} ${place}${query}`, body);
}

const rulesOf = ({ body }: Answer): string[] =>
  ((body['meta'] as { fields?: { rule: string }[] }).fields ?? []).map(({ rule }) => rule);

/** Lists what is not answered with 400 that names this field, so that one look shows all of it. */
async function notRefused(
  asked: { operation: ApiOperation; query: string; field: string }[],
): Promise<unknown[]> {
  const wrong: unknown[] = [];
  for (const { operation, query, field } of asked) {
    const answer = await call(operation, query);
    const isRefused = answer.status === 400 && fieldsOf(answer).includes(field);
    if (!isRefused) wrong.push([operation.route, query, answer.status, answer.body]);
  }
  return wrong;
}

describe('a query', () => {
  test('with a parameter that a route does not know is refused by every route behind a key', async () => {
    const asked = operations.map((operation) => ({ operation, query: '?nobody=1', field: 'nobody' }));
    expect(await notRefused(asked)).toEqual([]);
    // A route tells in `default` what every route may answer.
    const isTold = (responses: object): boolean => '400' in responses || 'default' in responses;
    expect(operations.filter(({ responses }) => !isTold(responses)).map(({ route }) => route)).toEqual([]);
  });

  test('is any one for the script of a widget: pages add to addresses what they like', async () => {
    const { body } = await gateway.call(tenant.apiKey, 'POST /v1/widgets', {
      ...{ sessionId: gateway.fakes.addSession(tenant.tenantId).id, title: 'x', greeting: 'x' },
      allowedOrigins: ['https://www.example.com'],
    });
    const script = await gateway.call(undefined, `GET /v1/public/widget/${String(body['id'])}/widget.js?v=2`);
    expect(script.status).toBe(200);
  });

  // Each is a number, or true or false, to some reader of text.
  const NO_NUMBERS = [
    '1e2',
    '0x10',
    '+5',
    '%2B5',
    '5.0',
    '5.',
    '.5',
    '-5',
    '%205',
    '5%20',
    '5%0a',
    '',
    '5,0',
    '1_0',
    'NaN',
    '٥',
  ];
  const NO_BOOLEANS = ['1', '0', 'yes', 'True', 'TRUE', '%20true', 'true%20', 'on', ''];

  test('takes for a number and for true or false what is written as one, and nothing else', async () => {
    const odd: Record<string, string[]> = { integer: NO_NUMBERS, number: NO_NUMBERS, boolean: NO_BOOLEANS };
    const asked = operations.flatMap((operation) =>
      operation.parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name, schema }) =>
          (odd[[resolveSchema(document, schema).type].flat()[0] ?? ''] ?? []).map((value) => ({
            ...{ operation, query: `?${name}=${value}`, field: name },
          })),
        ),
    );
    expect(asked.length).toBeGreaterThan(100);
    expect(await notRefused(asked)).toEqual([]);
  });
});

test('a person in a path is a phone number or an address; what is neither is refused by every route, and named', async () => {
  const wrong: unknown[] = [];
  const asked = operations.flatMap((operation) =>
    operation.parameters
      .filter(({ name, in: place }) => place === 'path' && (name === 'phone' || name === 'contact'))
      .map(({ name }) => ({ operation, name })),
  );
  for (const { operation, name } of asked) {
    const { tenantId } = operation.environment === 'TEST' ? sandbox : tenant;
    const { id } = gateway.fakes.addSession(tenantId);
    for (const [nobody, status] of [
      ['abc', 400],
      ['0151-1234', 400],
      ['15550009999', undefined],
    ] as const) {
      const answer = await call(operation, '', undefined, { id, [name]: nobody });
      if (status ? answer.status !== status || !fieldsOf(answer).includes(name) : answer.status === 400)
        wrong.push([operation.route, nobody, answer.status, answer.body]);
    }
  }
  expect(asked.length).toBeGreaterThan(5);
  expect(wrong).toEqual([]);
});

describe('a body', () => {
  test('without a field that must be given is told which one is missing, in one sentence', async () => {
    const wrong: unknown[] = [];
    let asked = 0;
    for (const operation of operations) {
      const schema = operation.body?.content['application/json']?.schema;
      const example = bodyExample(document, operation) as Json | undefined;
      if (!schema || !example) continue;
      for (const [path, rest] of withoutEach(schema, example)) {
        asked += 1;
        const answer = await call(operation, '', rest);
        const own = rulesOf(answer).filter((rule) => rule.startsWith(path));
        if (own.length !== 1 || own[0] !== `${path} is missing`)
          wrong.push([operation.route, path, answer.status, answer.body]);
      }
    }
    expect(asked).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });
});

test('null in a change is refused, and named, wherever nothing can be removed', async () => {
  const wrong: unknown[] = [];
  const changes = operations.filter(({ method }) => method === 'PATCH');
  for (const operation of changes) {
    const schema = operation.body?.content['application/json']?.schema ?? {};
    for (const [name, property] of Object.entries(resolveSchema(document, schema).properties ?? {})) {
      const answer = await call(operation, '', { [name]: null });
      const isRefused = answer.status === 400 && fieldsOf(answer).includes(name);
      if (isRefused === mayBeNull(property)) wrong.push([operation.route, name, answer.status, answer.body]);
    }
  }
  expect(changes.length).toBeGreaterThan(2);
  expect(wrong).toEqual([]);
});

/** Says whether the description lets a field be null. */
function mayBeNull({ type, oneOf = [], anyOf = [] }: JsonSchema): boolean {
  return [type].flat().includes('null') || [...oneOf, ...anyOf].some(mayBeNull);
}

type Json = Record<string, unknown>;

/** Copies a body without one of the fields that its schema requires, for each of them, those of inner objects, too. */
function withoutEach(referring: JsonSchema, body: Json, parent = ''): [path: string, rest: Json][] {
  const { required = [], properties = {} } = resolveSchema(document, referring);
  const own = required.map((name): [string, Json] => {
    const { [name]: _, ...rest } = body;
    return [`${parent}${name}`, rest];
  });
  const inner = Object.entries(properties).flatMap(([name, property]) => {
    const value = body[name];
    const [item, schema] = Array.isArray(value)
      ? [value[0] as unknown, property.items ?? {}]
      : [value, property];
    if (typeof item !== 'object' || item === null) return [];
    const place = Array.isArray(value) ? `${parent}${name}.0.` : `${parent}${name}.`;
    return withoutEach(schemaOf(schema), item as Json, place).map(([path, rest]): [string, Json] => [
      path,
      { ...body, [name]: Array.isArray(value) ? [rest] : rest },
    ]);
  });
  return [...own, ...inner];
}

/** Looks through the one-element `allOf` that puts words around a reference. */
function schemaOf(schema: JsonSchema): JsonSchema {
  return schema.allOf?.[0] ?? schema;
}
