import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectError, fieldsOf } from '../support/answers.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';
import { rawPost, rawRequest } from '../support/raw-http.js';

withGateway();

let sessionId: string;

beforeAll(async () => {
  sessionId = gateway.fakes.addSession(tenant.tenantId).id;
});

const counts = (): Promise<object[]> =>
  gateway.service.database.query(
    `SELECT (SELECT count(*) FROM gateway.message) AS messages, (SELECT count(*) FROM gateway.client_message) AS ids,
       (SELECT count(*) FROM gateway.api_key) AS keys, (SELECT count(*) FROM gateway.audit_log) AS audit`,
  );

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const good = (): Record<string, unknown> => ({ sessionId, to: '+15550001111', text: 'x' });
const message = (change: object) => () => ({ ...good(), ...change });

// Each row is a body of POST /v1/messages, and the field that the refusal must name.
const BODIES: [string, () => unknown, string][] = [
  ['nothing', () => '', 'sessionId'],
  ['an empty object', () => ({}), 'sessionId'],
  ['half a document', () => '{"sessionId": "', 'body'],
  ['two documents', () => '{}{}', 'body'],
  ['an array', () => [good()], 'body'],
  ['a string', () => '"x"', 'body'],
  ['null', () => 'null', 'body'],
  ['a number', () => '1', 'body'],
  ['a number for the session', message({ sessionId: 1 }), 'sessionId'],
  ['a session that is no UUID', message({ sessionId: "' OR 1=1" }), 'sessionId'],
  ['an array for the recipient', message({ to: ['+15550001111'] }), 'to'],
  ['an object for the recipient', message({ to: { $ne: null } }), 'to'],
  ['a recipient that is no number', message({ to: 'hello' }), 'to'],
  ['a channel as recipient', message({ to: '120363041234567890@newsletter' }), 'to'],
  ['no text', message({ text: undefined }), 'text'],
  ['an empty text', message({ text: '' }), 'text'],
  ['null for the text', message({ text: null }), 'text'],
  ['true for the text', message({ text: true }), 'text'],
  ['a text that is too long', message({ text: 'x'.repeat(65_537) }), 'text'],
  ['NUL in the text', message({ text: 'a\u0000b' }), 'text'],
  ['half a surrogate pair in the text', () => JSON.stringify({ ...good(), text: 'a\ud83d' }), 'text'],
  ['NUL in the clientMessageId', message({ clientMessageId: '\u0000' }), 'clientMessageId'],
  ['a line break in the clientMessageId', message({ clientMessageId: 'a\nb' }), 'clientMessageId'],
  ['a control character in the clientMessageId', message({ clientMessageId: 'a\u0085b' }), 'clientMessageId'],
  ['a clientMessageId of 129 characters', message({ clientMessageId: 'x'.repeat(129) }), 'clientMessageId'],
  ['an empty clientMessageId', message({ clientMessageId: '' }), 'clientMessageId'],
  ['a number for the clientMessageId', message({ clientMessageId: 1 }), 'clientMessageId'],
  ['a field nobody knows', message({ priority: 'high' }), 'priority'],
  ['media beside the text', message({ media: { kind: 'image' } }), 'media'],
  ['__proto__', () => JSON.stringify(good()).replace('{', '{"__proto__":{"admin":true},'), 'body'],
  ['constructor', message({ constructor: { prototype: {} } }), 'body'],
  ['hasOwnProperty', message({ hasOwnProperty: 1 }), 'body'],
  ['a depth of 33', () => deep(33), 'body'],
  ['a depth of 10,000', () => deep(10_000), 'body'],
  ['a depth of 500,000 brackets', () => '['.repeat(500_000), 'body'],
];

describe('a body', () => {
  test.each(BODIES)('with %s is 400, names the field and leaves nothing', async (_, body, field) => {
    const before = await counts();
    const answer = await gateway.call(tenant.apiKey, 'POST /v1/messages', body());
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toContain(field);
    expect(await counts()).toEqual(before);
  });

  test.each<[string, object, string[]]>([
    ['/v1/messages', {}, ['sessionId is missing', 'to is missing']],
    ['/v1/messages', { sessionId: 'x', to: 7 }, ['sessionId must be a UUID', 'to must be a string']],
    ['/v1/messages', { sessionId: randomUUID(), to: '1' }, ['to must have 5 to 64 characters']],
    ['/v1/messages', { ...message({ mentions: [7] })() }, ['mentions: each entry must be a string']],
    ['/v1/messages', { ...message({ priority: 1 })() }, ['priority is not known here']],
    [
      '/v1/messages',
      { ...message({ sendAt: 'tomorrow' })() },
      ['sendAt must be a time with a zone, like 2026-02-01T08:00:00+01:00'],
    ],
    ['/v1/webhooks', { name: '', url: 'x', events: [] }, ['name must have 1 to 100 characters']],
    [
      '/v1/webhooks',
      { name: 'CRM', url: 'x', events: ['message.sent', 'message.sent'] },
      ['events must not have the same entry twice'],
    ],
    ['/v1/webhooks', { name: 'CRM', url: 'x', events: 'message.sent' }, ['events must be a list']],
    ['/v1/api-keys', { name: 'CRM', expiresInDays: 0.5 }, ['expiresInDays must be a whole number']],
  ])('for %s is refused in our words, one sentence for each field: %j', async (path, body, rules) => {
    const { status, body: refusal } = await gateway.call(tenant.apiKey, `POST ${path}`, body);
    expect({ status, message: refusal['message'] }).toEqual({
      status: 400,
      message: expect.stringContaining(rules.join('; ')),
    });
    const { fields } = refusal['meta'] as { fields: { rule: string }[] };
    expect(fields.map(({ rule }) => rule)).toEqual(expect.arrayContaining(rules));
    expect(new Set(fields.map(({ rule }) => rule.split(/[ :]/)[0])).size).toBe(fields.length);
  });

  test.each([
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong encoding', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['an encoded surrogate', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"text":"x"}', 'utf16le')],
    ['NUL bytes', Buffer.alloc(64)],
  ])('of %s is 400', async (_, bytes) => {
    const answer = await rawRequest(gateway.service.url, rawPost('/v1/messages', tenant.apiKey, bytes));
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual(['body']);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json; charset=iso-8859-1',
    'application/jsonx',
    'application/ld+json',
    'nonsense',
  ])('of type %s is 415', async (contentType) => {
    const headers = { 'content-type': contentType };
    const answer = await gateway.call(tenant.apiKey, 'POST /v1/messages', JSON.stringify(good()), headers);
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('without a type, or compressed, is 415', async () => {
    const untyped = rawPost('/v1/messages', tenant.apiKey, Buffer.from('{}'))
      .toString()
      .replace(/content-type.*\r\n/, '');
    expectError(await rawRequest(gateway.service.url, untyped), 415, 'UNSUPPORTED_MEDIA_TYPE');
    const headers = { 'content-encoding': 'gzip' };
    expectError(
      await gateway.call(tenant.apiKey, 'POST /v1/messages', '{}', headers),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'of type %s is taken',
    async (contentType) => {
      const headers = { 'content-type': contentType };
      expect((await gateway.call(tenant.apiKey, 'POST /v1/messages', good(), headers)).status).toBe(200);
    },
  );
});

describe('other bodies are as strict', () => {
  const unknown = randomUUID();
  test.each([
    ['POST /v1/sessions', { name: '' }, 'name'],
    ['POST /v1/sessions', { name: 'x', botMode: 'EXTERNAL' }, 'webhookUrl'],
    ['POST /v1/sessions', { name: 'x', botMode: 'NOBODY' }, 'botMode'],
    ['POST /v1/webhooks', { name: 'x', url: 'https://example.com', events: 'all' }, 'events'],
    ['POST /v1/webhooks', { name: 'x', url: 'https://example.com', events: ['message.exploded'] }, 'events'],
    ['POST /v1/webhooks', { name: 'x', url: 'ftp://example.com', events: [] }, 'url'],
    [`PATCH /v1/webhooks/${unknown}`, { status: 'PAUSED' }, 'status'],
    [`PATCH /v1/webhooks/${unknown}`, { headers: { 'X-Svc-Event': 'mine' } }, 'headers'],
    [`PATCH /v1/webhooks/${unknown}`, { headers: { 'x a': 'b' } }, 'headers'],
    [`PATCH /v1/webhooks/${unknown}`, { headers: { constructor: 'b' } }, 'headers'],
    [`PATCH /v1/webhooks/${unknown}`, { headers: [] }, 'headers'],
    [`PATCH /v1/webhooks/${unknown}`, { standardWebhooks: 'yes' }, 'standardWebhooks'],
    [`PATCH /v1/webhooks/${unknown}`, { ordering: 'RANDOM' }, 'ordering'],
    [`POST /v1/webhooks/${unknown}/pause`, { reason: '' }, 'reason'],
    [`POST /v1/webhooks/${unknown}/reactivate`, { reason: '' }, 'reason'],
    [`POST /v1/webhooks/${unknown}/test`, { force: true }, 'force'],
    [`POST /v1/webhooks/${unknown}/rotate-secret`, { secret: 'mine' }, 'secret'],
    [`PATCH /v1/webhooks/${unknown}`, { sessionId: unknown }, 'sessionId'],
    [`PUT /v1/sessions/${unknown}/external-config`, {}, 'enabled'],
    [`PUT /v1/sessions/${unknown}/external-config`, { enabled: 'true' }, 'enabled'],
    [`PUT /v1/sessions/${unknown}/external-config`, { enabled: true, webhookUrl: '' }, 'webhookUrl'],
    [`PUT /v1/sessions/${unknown}/external-config`, { enabled: false, webhookUrl: '' }, 'webhookUrl'],
    ['POST /v1/webhooks', { name: 'x', url: '', events: [] }, 'url'],
    [`PATCH /v1/webhooks/${unknown}`, { url: '' }, 'url'],
    [`POST /v1/sessions/${unknown}/promote-warmup-tier`, { tier: 5, reason: 'x' }, 'tier'],
    [`POST /v1/sessions/${unknown}/promote-warmup-tier`, { tier: '2', reason: 'x' }, 'tier'],
    [`POST /v1/sessions/${unknown}/promote-warmup-tier`, { tier: 2 }, 'reason'],
    [`POST /v1/sessions/${unknown}/connect`, { force: true }, 'force'],
    [`DELETE /v1/sessions/${unknown}`, '[', 'body'],
    ['POST /v1/api-keys', { scopes: ['root'] }, 'scopes'],
    ['POST /v1/api-keys', { scopes: [] }, 'scopes'],
    ['POST /v1/api-keys', { rotates: 'x' }, 'rotates'],
    ['GET /v1/messages?limit=0', undefined, 'limit'],
    ['GET /v1/messages?limit=201', undefined, 'limit'],
    ['GET /v1/messages?limit=ten', undefined, 'limit'],
    ['GET /v1/messages?limit=1&limit=2', undefined, 'limit'],
    ['GET /v1/messages?before=made-up', undefined, 'before'],
    ['GET /v1/messages?contact=hello', undefined, 'contact'],
    ['GET /v1/messages?status=LOST', undefined, 'status'],
    ['GET /v1/messages?status=SENDING', undefined, 'status'],
    ['GET /v1/messages?sessionId=%00', undefined, 'sessionId'],
    ['GET /v1/messages?since=yesterday', undefined, 'since'],
    ['GET /v1/messages?until=2026-02-30T00:00:00Z', undefined, 'until'],
    ['GET /v1/messages?sort=asc', undefined, 'sort'],
    ['GET /v1/sessions?__proto__=1', undefined, 'body'],
    ['GET /v1/webhooks?before=AAAA', undefined, 'before'],
    [`GET /v1/webhooks/${unknown}/deliveries?status=LOST`, undefined, 'status'],
    [`GET /v1/webhooks/${unknown}/deliveries?event=message.exploded`, undefined, 'event'],
    [`GET /v1/webhooks/${unknown}/deliveries?since=yesterday`, undefined, 'since'],
    [`GET /v1/webhooks/${unknown}/deliveries?since=2026-02-30T00:00:00Z`, undefined, 'since'],
    [`GET /v1/webhooks/${unknown}/dead-letters?until=2026-02-01`, undefined, 'until'],
    [`GET /v1/webhooks/${unknown}/dead-letters?status=DEAD`, undefined, 'status'],
    [`POST /v1/webhooks/${unknown}/replay`, { status: 'PENDING' }, 'status'],
    [`POST /v1/webhooks/${unknown}/replay`, { dryRun: 'true' }, 'dryRun'],
    [`POST /v1/webhooks/${unknown}/replay`, { until: '2026-01-31T25:00:00Z' }, 'until'],
    [`POST /v1/deliveries/${unknown}/replay`, { times: 2 }, 'times'],
    [`POST /v1/replays/${unknown}/cancel`, { now: true }, 'now'],
    ['GET /v1/events?after=AAAA', undefined, 'after'],
    ['GET /v1/events?before=AAAA', undefined, 'before'],
    ['GET /v1/events?sessionId=1', undefined, 'sessionId'],
  ])('%s %j names %s', async (route, body, field) => {
    const answer = await gateway.call(tenant.apiKey, route, body);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toContain(field);
  });
});

describe('a path', () => {
  test.each([
    ['GET /v1/messages/1', 'MESSAGE_NOT_FOUND'],
    ['GET /v1/sessions/%00', 'SESSION_NOT_FOUND'],
    ['GET /v1/sessions/..%2f..%2fetc/qr', 'SESSION_NOT_FOUND'],
    ['POST /v1/sessions/1/connect', 'SESSION_NOT_FOUND'],
    ['DELETE /v1/sessions/1', 'SESSION_NOT_FOUND'],
    ['GET /v1/webhooks/1/deliveries', 'ENDPOINT_NOT_FOUND'],
    ['POST /v1/webhooks/1/test', 'ENDPOINT_NOT_FOUND'],
    ['POST /v1/webhooks/1/replay', 'ENDPOINT_NOT_FOUND'],
    ['GET /v1/deliveries/1', 'DELIVERY_NOT_FOUND'],
    ['POST /v1/deliveries/1/replay', 'DELIVERY_NOT_FOUND'],
    ['GET /v1/replays/1', 'REPLAY_NOT_FOUND'],
    ['POST /v1/replays/1/cancel', 'REPLAY_NOT_FOUND'],
    ['DELETE /v1/api-keys/1', 'API_KEY_NOT_FOUND'],
    ['GET /v1/nothing', 'NOT_FOUND'],
    ['GET /', 'NOT_FOUND'],
    ['GET /v1/messages/', 'NOT_FOUND'],
    ['POST /V1/messages', 'NOT_FOUND'],
    ['GET /v1/sessions/%zz', 'NOT_FOUND'],
    ['GET /v1/sessions/%', 'NOT_FOUND'],
    ['GET /v1/sessions/%ff', 'NOT_FOUND'],
    [`GET /v1/sessions/${'a'.repeat(500)}`, 'NOT_FOUND'],
    [`GET /v1/sessions/${'%41'.repeat(500)}/qr`, 'NOT_FOUND'],
  ])('%s is 404 %s', async (route, code) => {
    expectError(await gateway.call(tenant.apiKey, route), 404, code);
  });

  test.each([
    ['DELETE /v1/messages', 'GET, HEAD, POST'],
    ['PUT /v1/sessions', 'GET, HEAD, POST'],
    [`POST /v1/sessions/${randomUUID()}/external-config`, 'GET, HEAD, PUT'],
    ['OPTIONS /v1/messages', 'GET, HEAD, POST'],
    ['POST /openapi.json', 'GET, HEAD'],
  ])('%s has other methods: 405', async (route, allow) => {
    const answer = await gateway.call(tenant.apiKey, route);
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a wrong length', 'POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n'],
    ['no host', 'GET /v1/sessions HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ])('asked for with %s gets the error body', async (_, bytes) => {
    expectError(await rawRequest(gateway.service.url, bytes), 400, 'VALIDATION_FAILED');
  });

  test.each([
    [
      'endless headers',
      `GET / HTTP/1.1\r\nhost: x\r\na: ${'a'.repeat(40_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'an expectation that nobody knows',
      'GET /v1/sessions HTTP/1.1\r\nhost: x\r\nexpect: tea\r\nconnection: close\r\n\r\n',
      ...([401, 'UNAUTHENTICATED'] as const),
    ],
  ])('asked for with %s gets the error body, too', async (_, bytes, status, code) => {
    expectError(await rawRequest(gateway.service.url, bytes), status, code);
  });

  test('of an absolute or an asterisk target is 404', async () => {
    for (const target of ['*', 'v1/messages']) {
      const bytes = `OPTIONS ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      expect((await rawRequest(gateway.service.url, bytes)).status).toBeGreaterThanOrEqual(400);
    }
  });
});

test('every answer says its request id, a success and a HEAD as well', async () => {
  const ids = [];
  for (const route of [
    'GET /v1/sessions',
    'HEAD /v1/sessions',
    'GET /docs',
    'GET /openapi.json',
    'HEAD /x',
  ]) {
    ids.push((await gateway.call(tenant.apiKey, route)).headers.get('x-request-id'));
  }
  ids.push((await gateway.call(undefined, 'GET /v1/sessions')).headers.get('x-request-id'));
  expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)));
  expect(new Set(ids).size).toBe(ids.length);
});
