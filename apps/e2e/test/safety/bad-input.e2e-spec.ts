import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Actor } from '../../src/stack/actor.js';
import type { Answer, Stack } from '../../src/stack/stack.js';
import { furnish, goodBodies, type Ids, pathWith, type Route, routesOf } from './routes.js';
import { everythingOf, expectErrorBody, stackOfRun, untilDelivered } from '../stage/stage.js';

let stack: Stack;
let actor: Actor;
let ids: Ids;
let routes: Route[];
let before: unknown;

beforeAll(async () => {
  stack = await stackOfRun();
  actor = await Actor.create(stack);
  ids = await furnish(actor, 'mine');
  routes = await routesOf(stack);
  await untilDelivered(actor, ids.message);
});
beforeEach(async () => void (before = await everythingOf(actor)));

/** Makes a call with these bytes as its body. */
async function post(
  route: Route,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${stack.file.gateway}${pathWith(route, ids)}`, {
    method: route.method,
    headers: {
      authorization: `Bearer ${actor.tenant.apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const parsed = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body: parsed };
}

const nothingWritten = async (): Promise<void> => expect(await everythingOf(actor)).toEqual(before);

const withBody = (): Route[] => routes.filter(({ takesBody }) => takesBody);

// Bodies that no route may take, whatever it expects.
const HOSTILE: [name: string, body: string | Buffer, headers?: Record<string, string>][] = [
  ['half a document', '{"a": '],
  ['an array', '[{}]'],
  ['null', 'null'],
  ['a number', '1e999'],
  ['a depth of 100,000', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['a depth of 500,000 brackets', '['.repeat(500_000)],
  ['NUL bytes', Buffer.alloc(1_000)],
  ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
  ['10 MB', JSON.stringify({ name: 'x'.repeat(10_000_000) })],
  ['plain text', '{}', { 'content-type': 'text/plain' }],
  ['a form', 'name=x', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['multipart', '--x--', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['another character set', '{}', { 'content-type': 'application/json; charset=utf-16' }],
  ['compressed bytes', '{}', { 'content-encoding': 'gzip' }],
];

/** No events are all events, empty settings are all defaults, there may be no headers, and a message over MCP has any whole number. */
const isRight = ({ operationId }: Route, field: string, value: unknown): boolean =>
  ({
    ...{ events: '[]', settings: '{}', words: '[]', resumeWords: '[]', headers: '{}', params: '{}' },
    ...(operationId === 'callMcp' && { id: '-1' }),
    ...(operationId === 'putToolServer' && { allow: '[]', readOnly: '[]' }),
  })[field] === JSON.stringify(value);

/** Says whether it is a text that an assistant may know: longer than a message may be. */
const isLongText = ({ operationId }: Route, field: string, value: unknown): boolean =>
  operationId === 'addKnowledge' && field === 'text' && String(value).length > 65_536;

describe('a body', () => {
  test.each(HOSTILE.map(([name, body, headers]) => ({ name, body, headers })))(
    'of $name is refused by every route that takes one',
    async ({ body, headers }) => {
      expect(withBody().length).toBeGreaterThan(5);
      for (const route of withBody()) expectErrorBody(await post(route, body, headers));
      await nothingWritten();
    },
  );

  test('with a field nobody knows is refused by every route, however the field is called', async () => {
    const good = goodBodies(ids);
    for (const route of withBody()) {
      const text = JSON.stringify(good[route.operationId]);
      for (const name of ['unknown', 'tenantId', '__proto__', 'constructor', '']) {
        const answer = await post(route, text.replace('{', `{${JSON.stringify(name)}: {"a": 1}, `));
        expect([route.operationId, name, answer.status]).toEqual([route.operationId, name, 400]);
        expectErrorBody(answer);
      }
    }
    await nothingWritten();
  });

  test('with any field of a wrong type or value is refused, and the field is named', async () => {
    const good = goodBodies(ids);
    const wrong = [{}, [], [[]], -1, 1e21, '', '\u0000', 'a\u0000b', '\ud800', 'x'.repeat(70_000)];
    for (const route of withBody()) {
      const body = good[route.operationId];
      expect([route.operationId, body]).toEqual([route.operationId, expect.any(Object)]);
      for (const [field, right] of Object.entries(body ?? {})) {
        for (const value of [...wrong, typeof right === 'boolean' ? 'true' : true]) {
          if (isRight(route, field, value) || isLongText(route, field, value)) continue;
          const answer = await post(route, JSON.stringify({ ...body, [field]: value }));
          const what = [route.operationId, field, JSON.stringify(value).slice(0, 20)];
          expect([...what, answer.status]).toEqual([...what, 400]);
          expectErrorBody(answer);
          expect(JSON.stringify(answer.body['meta'])).toContain(`"field":"${field}`);
        }
      }
    }
    await nothingWritten();
  });

  test('is refused where none belongs', async () => {
    const without = routes.filter(({ method, takesBody }) => method !== 'GET' && !takesBody);
    for (const route of without) expectErrorBody(await post(route, '{"force": true}'));
    await nothingWritten();
  });
});

describe('an address', () => {
  const IDS = ['0', 'null', '%00', '%ff', "'%20OR%201=1", '..%2f..', '%F0%9F%98%80', 'x'.repeat(5_000)];

  test.each(IDS)('with the id %p is refused by every route', async (id) => {
    // A tool may be called null, and so may a server of tools.
    const isName = (path: string): boolean => /\{(name|server)\}/.test(path) && id === 'null';
    for (const route of routes.filter(({ path }) => path.includes('{') && !isName(path))) {
      const path = route.path.replace(/\{\w+\}/, id);
      const body = route.takesBody ? goodBodies(ids)[route.operationId] : undefined;
      const answer = await actor.api(route.method, path, body);
      expect([route.operationId, answer.status < 500]).toEqual([route.operationId, true]);
      expectErrorBody(answer);
    }
    await nothingWritten();
  });

  test('with a query that is wrong is refused', async () => {
    const values = ['', '-1', '0', '1e3', '201', '%00', '%ff', 'null', "'", 'x'.repeat(3_000)];
    for (const { path, query } of routes.filter((route) => route.query.length > 0)) {
      const own = pathWith({ path } as Route, ids);
      for (const name of [...query, 'unknown']) {
        for (const value of values) {
          const answer = await actor.api('GET', `${own}?${name}=${value}`);
          expect([path, name, value.slice(0, 9), answer.status]).toEqual([
            path,
            name,
            value.slice(0, 9),
            400,
          ]);
          expectErrorBody(answer);
        }
        const twice = await actor.api('GET', `${own}?${name}=1&${name}=2`);
        expect([path, name, 'twice', twice.status]).toEqual([path, name, 'twice', 400]);
      }
    }
  });

  test('that nobody knows is 404, a method that nobody knows 405', async () => {
    expectErrorBody(await actor.api('GET', '/v1/nothing'));
    expect((await actor.api('GET', '/v1/nothing')).status).toBe(404);
    expect((await actor.api('PUT', '/v1/sessions')).status).toBe(405);
  });
});

test('after all of this the gateway still works', async () => {
  const answer = await actor.send('4915550001112', 'fine');
  expect(answer.status).toBe(200);
});

test('null in any field of a body is refused or taken for nothing, and never a fault', async () => {
  const good = goodBodies(ids);
  const faults: unknown[] = [];
  for (const route of withBody()) {
    const body = good[route.operationId] ?? {};
    for (const field of Object.keys(body)) {
      const { status } = await post(route, JSON.stringify({ ...body, [field]: null }));
      if (status >= 500) faults.push([route.operationId, field, status]);
    }
    const all = Object.fromEntries(Object.keys(body).map((field) => [field, null]));
    const { status } = await post(route, JSON.stringify(all));
    if (status >= 500) faults.push([route.operationId, 'all', status]);
  }
  expect(faults).toEqual([]);
});
