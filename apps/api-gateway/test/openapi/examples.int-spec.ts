import { beforeAll, describe, expect, test } from '@jest/globals';
import * as contracts from '@svc/contracts';
import { ERROR_CATALOGUE, type ErrorCode, parseData, PUBLIC_EVENTS } from '@svc/contracts';
import {
  AnswerCheck,
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  type ApiResponse,
  apiOperations,
  contentExamples,
  isStream,
  pathWithIds,
  withIds,
} from '@svc/testing';
import { examplesIn } from '../support/examples.js';
import { EXAMPLE_ORIGIN, furnish, someForm } from '../support/furnish.js';
import { type Answer, gateway, withSandboxGateway } from '../support/gateway.js';

withSandboxGateway();

const JSON_TYPE = 'application/json';
let document: ApiDocument;
let operations: ApiOperation[];
let check: AnswerCheck;

beforeAll(async () => {
  document = (await gateway.call(undefined, 'GET /openapi.json')).body as unknown as ApiDocument;
  operations = apiOperations(document);
  check = new AnswerCheck(document);
});

/** Lists the bodies that an operation is sent with: each of its examples, or nothing. */
function sendings({ body }: ApiOperation): [name: string, value: unknown][] {
  const [[type, content] = []] = Object.entries(body?.content ?? {});
  if (content === undefined) return [['without a body', undefined]];
  return type === JSON_TYPE ? examplesIn(document, content) : [['a form', someForm()]];
}

/** Fills every parameter of the query with its example; a cursor has none, since only the gateway can make one. */
function queryOf({ parameters }: ApiOperation): Record<string, string> {
  const examples = parameters
    .filter(({ in: place, name }) => place === 'query' && name !== 'before' && name !== 'after')
    .map(({ name, example, schema }) => [name, String(example ?? schema['example'])]);
  return Object.fromEntries(examples) as Record<string, string>;
}

/** Sends an example as a new tenant, to which the resources in it belong. */
async function execute(operation: ApiOperation, example: unknown): Promise<Answer> {
  const live = await gateway.createTenant();
  const tenant = operation.environment === 'TEST' ? await gateway.sandboxOf(live) : live;
  const ids = await furnish(tenant, 'my');
  const query = new URLSearchParams(withIds(queryOf(operation), ids) as Record<string, string>).toString();
  const path = `${pathWithIds(operation, ids)}${query && `?${query}`}`;
  if (!(example instanceof FormData) && !isStream(operation)) {
    const page = { origin: EXAMPLE_ORIGIN };
    return gateway.call(tenant.apiKey, `${operation.method} ${path}`, withIds(example, ids), page);
  }
  const headers = { authorization: `Bearer ${tenant.apiKey}` };
  if (!(example instanceof FormData)) return firstOfStream(path, headers);
  const options = { method: operation.method, headers, body: example };
  const response = await fetch(gateway.service.url + path, options);
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
}

function headerExamples({ headers = {} }: ApiResponse): [name: string, example: string][] {
  return Object.entries(headers).flatMap(([name, { example }]) =>
    example === undefined ? [] : [[name, example]],
  );
}

/** Lists headers that are written in another way than their example; those that are not, go to `shown`. */
function unlikeShown({ responses }: ApiOperation, answer: Answer, shown: Set<string>): string[] {
  const form = (value: string): string => value.replace(/\d+/g, '1');
  return headerExamples(responses[answer.status] ?? { description: '' }).flatMap(([name, example]) => {
    const value = answer.headers.get(name);
    if (value === null) return [];
    shown.add(name);
    return form(value) === form(example) ? [] : [`${name}: ${value}, not as in ${example}`];
  });
}

/** Reads the first frame of a stream, which ends with its reader. */
async function firstOfStream(path: string, headers: Record<string, string>): Promise<Answer> {
  const reading = new AbortController();
  const response = await fetch(gateway.service.url + path, { headers, signal: reading.signal });
  reading.abort();
  return { status: response.status, headers: response.headers, body: { text: '' } };
}

/** Lists the examples of a content that break its schema. */
function brokenExamples(content: ApiContent): string[] {
  return examplesIn(document, content).flatMap(([name, value]) =>
    check.breachesOf(content.schema ?? {}, value).map((breach) => `${name}: ${breach}`),
  );
}

test('every field of the description has an example of its own', () => {
  // A file has none.
  const names = Object.keys(document.components.schemas).filter((name) => name !== 'UploadRequest');
  const made = names.map((name) =>
    examplesIn(document, { schema: { $ref: `#/components/schemas/${name}` } }),
  );
  expect(made.length).toBeGreaterThan(100);
  const without = JSON.stringify([document, made]).match(/"\w+":\[?"a field without an example"/g);
  expect(new Set(without)).toEqual(new Set());
});

describe('every example of a request', () => {
  test('is there, and fits its schema', () => {
    for (const { route, body, parameters } of operations) {
      const content = body?.content[JSON_TYPE];
      if (content) {
        expect([route, examplesIn(document, content).length]).not.toEqual([route, 0]);
        expect([route, brokenExamples(content)]).toEqual([route, []]);
      }
      for (const { name, schema, example = schema['example'] } of parameters) {
        if (example !== undefined)
          expect([route, name, check.breachesOf(schema, example)]).toEqual([route, name, []]);
      }
    }
  });

  test('does what its operation is there for, with the answer that is described', async () => {
    const wrong: unknown[] = [];
    const shown = new Set<string>();
    for (const operation of operations) {
      for (const [name, value] of sendings(operation)) {
        const answer = await execute(operation, value);
        const problems = [...check.problemsOf(operation, answer), ...unlikeShown(operation, answer, shown)];
        if (answer.status >= 300 || problems.length > 0)
          wrong.push([operation.route, name, answer.status, answer.body, problems]);
      }
    }
    expect(wrong).toEqual([]);
    const withExample = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(headerExamples),
    );
    expect([...shown].sort()).toEqual([...new Set(withExample.map(([name]) => name))].sort());
  });
});

/** Leaves out answers with errors of the protocol of agents, which has codes of its own. */
const isOfOurs = ([, { content }]: [string, ApiOperation['responses'][string]]): boolean =>
  (content?.[JSON_TYPE]?.schema as { $ref?: string } | undefined)?.$ref !== '#/components/schemas/McpAnswer';

describe('every example of an answer', () => {
  test('fits its schema, and each JSON answer has one', () => {
    const wrong = operations.flatMap(({ route, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const json = content?.[JSON_TYPE];
        const problems = json && [
          ...brokenExamples(json),
          ...(examplesIn(document, json).length > 0 ? [] : ['no example']),
        ];
        return (problems ?? []).map((problem) => `${route} ${status}: ${problem}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('of an error stands under the status of its code, which is one that is listed there', () => {
    for (const { route, responses } of operations) {
      for (const [status, { content, ...response }] of Object.entries(responses).filter(isOfOurs)) {
        const codes = (response['x-error-codes'] ?? []) as ErrorCode[];
        const statuses = new Set(codes.map((code) => ERROR_CATALOGUE[code].status));
        if (Number(status) >= 400) expect([route, [...statuses]]).toEqual([route, [Number(status)]]);
        for (const [name] of codes.length > 0 ? contentExamples(document, content?.[JSON_TYPE] ?? {}) : [])
          expect([route, codes]).toEqual([route, expect.arrayContaining([name])]);
      }
    }
  });

  test('stands in the description for every code whose meta says more than the message', () => {
    for (const [name, { value }] of Object.entries(document.components.examples ?? {})) {
      expect(value).toMatchObject({ code: name, meta: expect.anything() });
      expect(check.breachesOf({ $ref: '#/components/schemas/HttpErrorBody' }, value)).toEqual([]);
    }
    expect(Object.keys(document.components.examples ?? {}).sort()).toEqual(
      ['FORBIDDEN', 'QUOTA_CONFLICT', 'RATE_LIMITED', 'VALIDATION_FAILED'].sort(),
    );
  });
});

test.each([...PUBLIC_EVENTS])('the example of the webhook %s is an event by its contract', (event) => {
  const content = document.webhooks?.[event]?.post.requestBody?.content[JSON_TYPE] ?? {};
  const [[, value] = []] = examplesIn(document, content);
  expect(value).toMatchObject({ event });
  expect(brokenExamples(content)).toEqual([]);
  const contract = Object.values(contracts).find(
    (one) => typeof one === 'object' && 'kind' in one && one.kind === 'event' && one.name === event,
  ) as { data: new () => object };
  expect(() => parseData(contract.data, (value as { payload: object }).payload)).not.toThrow();
});
