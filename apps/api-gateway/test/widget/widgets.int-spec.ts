import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type AuditEntry, GetAuditLog } from '@svc/contracts';
import { gateway, tenant, withGateway } from '../support/gateway.js';

withGateway({ GATEWAY_PUBLIC_URL: 'https://api.example.com/' });

const PAGE = 'https://www.example.com';
let sessionId: string;

beforeAll(() => void (sessionId = gateway.fakes.addSession(tenant.tenantId, { phone: '+4915112345678' }).id));

async function create(body: object = {}): Promise<Record<string, unknown>> {
  const wanted = { sessionId, title: 'Questions?', greeting: 'We answer.', allowedOrigins: [PAGE], ...body };
  const answer = await gateway.call(tenant.apiKey, 'POST /v1/widgets', wanted);
  expect(answer.status).toBe(201);
  return answer.body;
}
const config = (id: unknown, origin?: string) =>
  gateway.call(undefined, `GET /v1/public/widget/${String(id)}/config`, undefined, origin ? { origin } : {});

describe('a widget', () => {
  test('is made, listed, changed and deleted, and the audit log says so', async () => {
    const made = await create();
    const id = String(made['id']);
    expect(made).toMatchObject({ prefilledText: '', side: 'right', language: 'en' });
    expect(made['embed']).toBe(
      `<script async src="https://api.example.com/v1/public/widget/${id}/widget.js"></script>`,
    );
    const changed = await gateway.call(tenant.apiKey, `PATCH /v1/widgets/${id}`, { side: 'left' });
    expect(changed).toMatchObject({ status: 200, body: { id, side: 'left', title: 'Questions?' } });
    const { body } = await gateway.call(tenant.apiKey, 'GET /v1/widgets');
    expect(body['items']).toContainEqual(changed.body);
    expect((await gateway.call(tenant.apiKey, `DELETE /v1/widgets/${id}`)).status).toBe(204);
    expect((await gateway.call(tenant.apiKey, `GET /v1/widgets/${id}`)).body['code']).toBe(
      'WIDGET_NOT_FOUND',
    );
    expect((await config(id, PAGE)).status).toBe(404);
    const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
    const lines = items.filter(({ target }: AuditEntry) => target === id).map(({ action }) => action);
    expect(lines).toEqual(['widget.deleted', 'widget.updated', 'widget.created']);
  });

  test.each([
    ['allowedOrigins', { allowedOrigins: ['https://www.example.com/path'] }],
    ['allowedOrigins', { allowedOrigins: ['*'] }],
    ['allowedOrigins', { allowedOrigins: ['https://-'] }],
    ['allowedOrigins', { allowedOrigins: ['https://a..example'] }],
    ['allowedOrigins', { allowedOrigins: ['https://a-.example'] }],
    ['allowedOrigins', { allowedOrigins: [] }],
    ['color', { color: 'red;}*{display:none' }],
    ['side', { side: 'top' }],
    ['language', { language: 'xx' }],
    ['title', { title: '' }],
  ])('is not made with a wrong %s', async (field, change) => {
    const body = { sessionId, title: 'x', greeting: 'x', allowedOrigins: [PAGE], ...change };
    expect(await gateway.call(tenant.apiKey, 'POST /v1/widgets', body)).toMatchObject({
      status: 400,
      body: { meta: { fields: expect.arrayContaining([expect.objectContaining({ field })]) } },
    });
  });

  test('is for a session of its own tenant', async () => {
    const foreign = gateway.fakes.addSession(randomUUID()).id;
    const body = { sessionId: foreign, title: 'x', greeting: 'x', allowedOrigins: [PAGE] };
    expect(await gateway.call(tenant.apiKey, 'POST /v1/widgets', body)).toMatchObject({ status: 403 });
    const id = String((await create())['id']);
    expect(
      await gateway.call(tenant.apiKey, `PATCH /v1/widgets/${id}`, { sessionId: foreign }),
    ).toMatchObject({ status: 403 });
  });
});

test.each([
  'https://a.example',
  'http://localhost:3000',
  'https://xn--mnchen-3ya.example',
  'https://192.0.2.1',
])('a widget may be on pages of %s', async (origin) => {
  expect((await create({ allowedOrigins: [origin] }))['allowedOrigins']).toEqual([origin]);
});

describe('what strangers get', () => {
  test('is what the tenant wants shown and the number, for its pages alone and without cookies', async () => {
    const { id } = await create({ prefilledText: 'Hello', color: '#25d366', language: 'de' });
    const answer = await config(id, PAGE);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...{ title: 'Questions?', greeting: 'We answer.', side: 'right', language: 'de', ink: '#000000' },
        link: 'https://wa.me/4915112345678?text=Hello',
        words: { close: 'Schließen' },
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain(sessionId);
    expect(JSON.stringify(answer.body)).not.toContain(tenant.tenantId);
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(answer.headers.get('vary')).toContain('Origin');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test.each([
    'https://evil.example',
    'https://www.example.com.evil.example',
    'http://www.example.com',
    'null',
  ])('is nothing for a page of %s', async (origin) => {
    const answer = await config((await create())['id'], origin);
    expect(answer).toMatchObject({ status: 403, body: { code: 'ORIGIN_NOT_ALLOWED', meta: {} } });
  });

  test('is a refusal that every page can read, so that whoever made it sees what is wrong', async () => {
    const { id } = await create();
    for (const [widget, origin, status] of [
      [id, 'https://evil.example', 403],
      [randomUUID(), PAGE, 404],
      ['nothing', PAGE, 404],
    ] as const) {
      const answer = await config(widget, origin);
      expect([status, answer.headers.get('access-control-allow-origin')]).toEqual([answer.status, '*']);
      expect(answer.headers.get('vary')).toContain('Origin');
    }
  });

  test('has no link while the session has no number, and none after it is deleted', async () => {
    const { id: fresh } = gateway.fakes.addSession(tenant.tenantId, { phone: null, status: 'AWAITING_SCAN' });
    const { id } = await create({ sessionId: fresh });
    expect((await config(id, PAGE)).body).toMatchObject({ link: null, qr: null });
    gateway.fakes.sessions.delete(fresh);
    expect((await config(id, PAGE)).body).toMatchObject({ link: null, qr: null });
  });

  test('is a script of a few kilobytes that a browser keeps', async () => {
    const { id } = await create();
    const path = `GET /v1/public/widget/${String(id)}/widget.js`;
    const answer = await gateway.call(undefined, path);
    expect(answer.headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(Buffer.byteLength(String(answer.body['text']))).toBeLessThan(6_000);
    const etag = String(answer.headers.get('etag'));
    expect((await gateway.call(undefined, path, undefined, { 'if-none-match': etag })).status).toBe(304);
  });

  test('is kept by caches for a while, and a refusal is not', async () => {
    const { id } = await create();
    const script = (widget: unknown) =>
      gateway.call(undefined, `GET /v1/public/widget/${String(widget)}/widget.js`);
    const cachingOf = async (answer: ReturnType<typeof config>) =>
      (await answer).headers.get('cache-control');
    expect(await cachingOf(script(id))).toBe('public, max-age=3600');
    expect(await cachingOf(config(id, PAGE))).toBe('public, max-age=60');
    expect(await cachingOf(script('nothing'))).toBe('no-store');
    expect(await cachingOf(config(randomUUID(), PAGE))).toBe('no-store');
    expect(await cachingOf(config(id, 'https://evil.example'))).toBe('no-store');
  });

  test('is bounded in rate, and says when to come back', async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 200 }, () => config(id, PAGE)));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused).toMatchObject({ body: { code: 'RATE_LIMITED', meta: { layer: 'request' } } });
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused?.headers.get('cache-control')).toBe('no-store');
    expect(refused?.headers.get('access-control-allow-origin')).toBe('*');
  });
});
