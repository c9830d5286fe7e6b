import { beforeAll, describe, expect, test } from '@jest/globals';
import type { NewTenant } from '@svc/contracts';
import { type Answer, gateway, withGateway } from './gateway.js';

withGateway();

let mine: NewTenant;
let theirs: NewTenant;
/** Ids of the other tenant, by the name of their place in a path. */
const ids: Record<string, string> = {};

const withIds = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
const call = ({ apiKey }: NewTenant, route: string, body?: object): Promise<Answer> =>
  gateway.call(apiKey, withIds(route), body);

beforeAll(async () => {
  [mine, theirs] = [await gateway.createTenant(), await gateway.createTenant()];
  ids['session'] = gateway.fakes.addSession(theirs.tenantId, { name: 'their secret line' }).id;
  const sent = await call(theirs, 'POST /v1/messages', {
    ...{
      sessionId: ids['session'],
      to: '+15550001111',
      text: 'their secret text',
      clientMessageId: 'shared-id',
    },
  });
  ids['message'] = sent.body['jobId'] as string;
  const [conversation] = (await call(theirs, 'GET /v1/conversations')).body['items'] as { id: string }[];
  ids['conversation'] = String(conversation?.id);
  const endpoint = { name: 'their secret hook', url: 'https://example.com/theirs', events: [] };
  ids['webhook'] = (await call(theirs, 'POST /v1/webhooks', endpoint)).body['id'] as string;
  await call(theirs, 'PUT /v1/sessions/{session}/external-config', {
    enabled: true,
    webhookUrl: endpoint.url,
  });
  const { dispatcher } = gateway.fakes;
  ids['delivery'] = dispatcher.addDelivery(theirs.tenantId, ids['webhook']).deliveryId;
  const replay = await call(theirs, 'POST /v1/webhooks/{webhook}/replay', {});
  ids['replay'] = (replay.body['replay'] as { id: string }).id;
  const page = { title: 'their secret', greeting: 'x', allowedOrigins: ['https://theirs.example'] };
  const widget = await call(theirs, 'POST /v1/widgets', { ...page, sessionId: ids['session'] });
  ids['widget'] = widget.body['id'] as string;
  ids['kid'] = theirs.kid;
  ids['phone'] = '15550001111';
});

// Every route that takes an id, with a body that would be fine on one's own.
const ROUTES: [string, object?][] = [
  ['GET /v1/messages/{message}'],
  ['GET /v1/messages/{message}/media'],
  ['GET /v1/conversations/{conversation}/messages'],
  ['POST /v1/messages/{message}/cancel'],
  ['GET /v1/sessions/{session}'],
  ['PATCH /v1/sessions/{session}', { name: 'mine' }],
  ['GET /v1/sessions/{session}/limits'],
  ['GET /v1/sessions/{session}/warmup'],
  ['GET /v1/sessions/{session}/qr'],
  ['POST /v1/sessions/{session}/connect'],
  ['POST /v1/sessions/{session}/disconnect'],
  ['POST /v1/sessions/{session}/logout'],
  ['DELETE /v1/sessions/{session}'],
  ['POST /v1/sessions/{session}/promote-warmup-tier', { tier: 2, reason: 'x' }],
  ['POST /v1/sessions/{session}/pairing-code', { phone: '+15550001111' }],
  ['POST /v1/sessions/{session}/read', { messageIds: ['{message}'] }],
  ['POST /v1/sessions/{session}/typing', { to: '+15550001111', state: 'composing' }],
  ['GET /v1/sessions/{session}/contacts/{phone}'],
  ['GET /v1/sessions/{session}/external-config'],
  ['PUT /v1/sessions/{session}/external-config', { enabled: true, webhookUrl: 'https://example.com/mine' }],
  ['PUT /v1/sessions/{session}/external-config', { enabled: false, rotateSecret: true, mintApiKey: true }],
  ['GET /v1/webhooks/{webhook}'],
  ['PATCH /v1/webhooks/{webhook}', { url: 'https://example.com/mine' }],
  ['DELETE /v1/webhooks/{webhook}'],
  ['POST /v1/webhooks/{webhook}/rotate-secret'],
  ['POST /v1/webhooks/{webhook}/pause', { reason: 'x' }],
  ['POST /v1/webhooks/{webhook}/reactivate', { reason: 'x' }],
  ['POST /v1/webhooks/{webhook}/test'],
  ['GET /v1/webhooks/{webhook}/health'],
  ['GET /v1/webhooks/{webhook}/deliveries'],
  ['GET /v1/webhooks/{webhook}/dead-letters'],
  ['POST /v1/webhooks/{webhook}/replay', { status: 'DEAD' }],
  ['GET /v1/deliveries/{delivery}'],
  ['POST /v1/deliveries/{delivery}/replay'],
  ['GET /v1/replays/{replay}'],
  ['POST /v1/replays/{replay}/cancel'],
  ['GET /v1/widgets/{widget}'],
  ['PATCH /v1/widgets/{widget}', { title: 'mine' }],
  ['DELETE /v1/widgets/{widget}'],
  ['DELETE /v1/api-keys/{kid}'],
  ['POST /v1/api-keys', { rotates: '{kid}' }],
  ['POST /v1/messages', { sessionId: '{session}', to: '+15550001111', text: 'x' }],
];

// Persons are nobody's: who knows the number learns nothing of those who write to it.
const PERSONS = ['GET /v1/contacts/{phone}', 'GET /v1/contacts/{phone}/export'];

describe("another tenant's id", () => {
  test.each(ROUTES.map(([route, body = null]) => ({ route, body })))(
    'is refused by $route',
    async ({ route, body }) => {
      const own = body === null ? undefined : (JSON.parse(withIds(JSON.stringify(body))) as object);
      const snapshot = () =>
        JSON.stringify([[...gateway.fakes.sessions], [...gateway.fakes.dispatcher.endpoints]]);
      const before = snapshot();
      const answer = await call(mine, route, own);
      expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(JSON.stringify(answer.body)).not.toMatch(/secret|theirs/);
      expect(snapshot()).toBe(before);
      expect(gateway.fakes.promotions).toEqual([]);
    },
  );

  test('is the matrix of all routes with an id that the description knows', async () => {
    const { body } = await gateway.call(undefined, 'GET /openapi.json');
    const described = Object.entries(body['paths'] as Record<string, object>)
      // Those of the sandbox are for test keys alone (sandbox.int-spec.ts), public ones for everybody.
      .filter(([path]) => path.includes('{') && !/^\/v1\/(sandbox|public)\//.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .map((route) => route.replace(/\{\w+\}/g, '{}'));
    const tested = new Set(
      [...ROUTES.map(([route]) => route), ...PERSONS].map((route) => route.replace(/\{\w+\}/g, '{}')),
    );
    expect(described.filter((route) => !tested.has(route))).toEqual([]);
  });

  test.each(PERSONS)('of a person who writes to another tenant is nobody: %s', async (route) => {
    const answer = await call(mine, route);
    expect(answer).toMatchObject({ status: 404, body: { code: 'CONTACT_NOT_FOUND' } });
  });

  test('shows nothing in lists', async () => {
    for (const route of [
      'GET /v1/messages',
      'GET /v1/messages?sessionId={session}',
      'GET /v1/conversations',
      'GET /v1/conversations?sessionId={session}',
      'GET /v1/messages?contact=%2B15550001111',
      'GET /v1/sessions',
      'GET /v1/webhooks',
    ]) {
      expect((await call(mine, route)).body).toEqual({ items: [], nextCursor: null });
    }
    const { body } = await call(mine, 'GET /v1/api-keys');
    expect(JSON.stringify(body)).not.toContain(theirs.kid);
  });

  test('keeps working for its own tenant', async () => {
    for (const route of [
      'GET /v1/messages/{message}',
      'GET /v1/sessions/{session}',
      'GET /v1/webhooks/{webhook}',
      'GET /v1/deliveries/{delivery}',
      'GET /v1/replays/{replay}',
      'GET /v1/contacts/{phone}',
    ]) {
      expect((await call(theirs, route)).status).toBe(200);
    }
  });

  test('as a cursor is refused', async () => {
    for (let i = 0; i < 2; i += 1) gateway.fakes.addSession(theirs.tenantId);
    const { body } = await call(theirs, 'GET /v1/sessions?limit=1');
    const answer = await call(mine, `GET /v1/sessions?before=${body['nextCursor'] as string}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });
});

test('an unknown id is 404', async () => {
  const unknown = '0198c0de-0000-7000-8000-0000000000ff';
  const codes = [];
  for (const path of [`messages/${unknown}`, `sessions/${unknown}`, `webhooks/${unknown}`]) {
    codes.push((await gateway.call(mine.apiKey, `GET /v1/${path}`)).body['code']);
  }
  expect(codes).toEqual(['MESSAGE_NOT_FOUND', 'SESSION_NOT_FOUND', 'ENDPOINT_NOT_FOUND']);
});
