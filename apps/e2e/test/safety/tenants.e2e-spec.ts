import { beforeAll, describe, expect, test } from '@jest/globals';
import { Actor } from '../../src/stack/actor.js';
import type { Stack } from '../../src/stack/stack.js';
import { furnish, goodBodies, type Ids, pathWith, type Route, routesOf } from './routes.js';
import { everythingOf, expectErrorBody, stackOfRun, untilDelivered } from '../stage/stage.js';

let stack: Stack;
let routes: Route[];
let owner: Actor;
let stranger: Actor;
let ids: Ids;

beforeAll(async () => {
  stack = await stackOfRun();
  routes = await routesOf(stack);
  [owner, stranger] = [await Actor.create(stack), await Actor.create(stack)];
  ids = await furnish(owner, 'private');
  await owner.api('PUT', `/v1/sessions/${ids.session}/external-config`, {
    enabled: true,
    webhookUrl: 'http://127.0.0.1:9/private',
  });
  await untilDelivered(owner, ids.message);
});

const secretsOf = (): string[] => [...Object.values(ids), owner.tenant.tenantId, owner.phone, 'private'];

const expectNothingOf = (body: unknown): void => {
  for (const secret of secretsOf()) expect(JSON.stringify(body)).not.toContain(secret);
};

describe("with another tenant's key", () => {
  test('every route refuses every id, and nothing happens', async () => {
    const before = await everythingOf(owner);
    // A name of a tool, and of a server of tools, is the caller's own.
    const withId = routes.filter(({ path }) => path.includes('{') && !/\{(name|server)\}/.test(path));
    expect(withId.length).toBeGreaterThan(15);
    for (const route of withId) {
      const body = route.takesBody ? goodBodies(ids)[route.operationId] : undefined;
      const answer = await stranger.api(route.method, pathWith(route, ids), body);
      expect([route.operationId, answer.status, answer.body['code']]).toEqual([
        route.operationId,
        // A person belongs to no tenant: the answer is the same as if no message had ever come.
        ...(/^\/v1\/(contacts|opt-outs)\//.test(route.path)
          ? [404, 'CONTACT_NOT_FOUND']
          : [403, 'FORBIDDEN']),
      ]);
      expectErrorBody(answer);
      // The id came with the question; the data that belongs to it must not come back.
      expect(JSON.stringify(answer.body)).not.toMatch(/private|secret/);
    }
    expect(await everythingOf(owner)).toEqual(before);
  });

  test('no body may name an id', async () => {
    const before = await everythingOf(owner);
    const bodies = goodBodies(ids);
    const naming: [string, object | undefined][] = [
      ['/v1/messages', bodies['sendMessage']],
      ['/v1/api-keys', bodies['createApiKey']],
    ];
    for (const [path, body] of naming) {
      const answer = await stranger.api('POST', path, body);
      expect([path, answer.status, answer.body['code']]).toEqual([path, 403, 'FORBIDDEN']);
    }
    expect(await everythingOf(owner)).toEqual(before);
    expect((await stranger.api<{ items: [] }>('GET', '/v1/messages')).body.items).toEqual([]);
  });

  test('no list and no filter shows anything', async () => {
    const lists = routes.filter(
      ({ method, path, endless }) => method === 'GET' && !endless && !path.includes('{'),
    );
    const values: Record<string, string> = { sessionId: ids.session, contact: '+4915550001111' };
    for (const { path, query } of lists) {
      for (const search of [
        '',
        ...query.flatMap((name) => (values[name] ? [`?${name}=${values[name]}`] : [])),
      ]) {
        const { status, body } = await stranger.api('GET', path.concat(search.replace('+', '%2B')));
        expect([path + search, status]).toEqual([path + search, 200]);
        expectNothingOf(body);
      }
    }
  });

  test('the cursor of a list is refused or leads to nothing', async () => {
    await owner.api('POST', '/v1/webhooks', { name: 'private 2', url: 'http://127.0.0.1:9/2', events: [] });
    const { body } = await owner.api('GET', '/v1/webhooks?limit=1');
    const cursor = encodeURIComponent(String(body['nextCursor']));
    for (const list of ['webhooks', 'sessions', 'messages', 'api-keys']) {
      expectNothingOf((await stranger.api('GET', `/v1/${list}?before=${cursor}`)).body);
    }
  });
});

test('the owner keeps reading and using each of them', async () => {
  for (const route of routes.filter(({ method, endless }) => method === 'GET' && !endless)) {
    // The session is linked, so there is no code to show; the message is a text, which is no poll and has no file; and there is no server of tools.
    const none = ['getSessionQr', 'getPasskey', 'getMessageMedia', 'getPollResult', 'getToolServer'];
    if (none.includes(route.operationId)) continue;
    const answer = await owner.api('GET', pathWith(route, ids));
    expect([route.operationId, answer.status]).toEqual([route.operationId, 200]);
  }
  expect((await owner.send('4915550001111', 'still mine')).status).toBe(200);
});

test('without a key every route is 401', async () => {
  for (const route of routes) {
    const answer = await stack.api(undefined, route.method, pathWith(route, ids));
    expect([route.operationId, answer.status]).toEqual([route.operationId, 401]);
    expectErrorBody(answer);
  }
});
