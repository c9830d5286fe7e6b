import { describe, expect, test } from '@jest/globals';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  gateway.call(tenant.apiKey, route, body, headers);

describe('a session', () => {
  test('is made, read, connected, disconnected, logged out and deleted', async () => {
    const made = await call('POST /v1/sessions', { name: 'Sales' });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Sales', status: 'NEW', botMode: 'MANAGED', warmupTier: 0 },
    });
    const path = `/v1/sessions/${made.body['id'] as string}`;
    expect((await call(`GET ${path}`)).body).toEqual({ ...made.body, warmupTier: 1 });
    expect((await call(`GET ${path.toUpperCase().replace('/V1/SESSIONS', '/v1/sessions')}`)).status).toBe(
      200,
    );
    expect(await call(`POST ${path}/connect`)).toMatchObject({
      status: 200,
      body: { status: 'CONNECTING', warmupTier: 1 },
    });
    expect(await call(`POST ${path}/disconnect`, {})).toMatchObject({
      status: 200,
      body: { status: 'DISCONNECTED' },
    });
    expect((await call(`POST ${path}/logout`)).status).toBe(200);
    expect(await call(`DELETE ${path}`)).toMatchObject({ status: 204, body: { text: '' } });
    expect((await call(`GET ${path}`)).body['code']).toBe('SESSION_NOT_FOUND');
  });

  test.each([
    ['DEGRADED', 'UNANSWERED', false],
    ['RECONNECTING', 'CONNECTION_LOST', true],
    ['DISCONNECTED', 'REPLACED', false],
  ] as const)(
    'that is %s says why, and whether it comes back by itself',
    async (status, reason, willReconnect) => {
      const other = await gateway.createTenant();
      const read = (route: string): Promise<Answer> => gateway.call(other.apiKey, route);
      const { id } = gateway.fakes.addSession(other.tenantId, { status, statusReason: reason });
      const shown = { id, status, statusReason: reason, reason, willReconnect };
      expect((await read(`GET /v1/sessions/${id}`)).body).toMatchObject(shown);
      expect((await read('GET /v1/sessions')).body['items']).toContainEqual(expect.objectContaining(shown));
    },
  );

  test('changes its name, and its proxy is handed on as it was written', async () => {
    const proxy = 'socks5://ada:s3cret@proxy.example.com:1080';
    const made = await call('POST /v1/sessions', { name: 'Sales', proxy });
    expect(JSON.stringify(made.body)).not.toContain('s3cret');
    const path = `/v1/sessions/${made.body['id'] as string}`;
    expect(await call(`PATCH ${path}`, { name: 'Support' })).toMatchObject({
      status: 200,
      body: { name: 'Support', warmupTier: 1 },
    });
    expect((await call(`PATCH ${path}`, { proxy: null })).status).toBe(200);
    expect(gateway.fakes.done.slice(-2)).toEqual([{ name: 'Support' }, { proxy: null }]);
    const refused = await call(`PATCH ${path}`, { name: null });
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });

  test('is online all the time only where that is asked for, and says so', async () => {
    const made = await call('POST /v1/sessions', { name: 'Sales', alwaysOnline: true });
    expect(made).toMatchObject({ status: 201, body: { alwaysOnline: true } });
    const path = `PATCH /v1/sessions/${made.body['id'] as string}`;
    expect(await call(path, { alwaysOnline: false })).toMatchObject({
      status: 200,
      body: { alwaysOnline: false },
    });
    for (const alwaysOnline of [null, 'yes'])
      expect(await call(path, { alwaysOnline })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED' },
      });
    expect((await call('POST /v1/sessions', { name: 'Quiet' })).body).toMatchObject({ alwaysOnline: false });
  });

  test('rejects calls only where that is asked for, and says so', async () => {
    const wanted = { rejectCalls: true, callReply: 'Please write.' };
    const made = await call('POST /v1/sessions', { name: 'Sales', ...wanted });
    expect(made).toMatchObject({ status: 201, body: wanted });
    const path = `PATCH /v1/sessions/${made.body['id'] as string}`;
    expect(await call(path, { callReply: null })).toMatchObject({
      status: 200,
      body: { rejectCalls: true, callReply: null },
    });
    for (const wrong of [{ rejectCalls: null }, { rejectCalls: 'yes' }, { callReply: '' }, { callReply: 7 }])
      expect(await call(path, wrong)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const quiet = { rejectCalls: false, callReply: null };
    expect((await call('POST /v1/sessions', { name: 'Quiet' })).body).toMatchObject(quiet);
  });

  test('shows its QR code as text and as a picture that reads the same', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId, { status: 'AWAITING_SCAN' });
    gateway.fakes.qr = `2@${'Ab0/+='.repeat(30)},${'x'.repeat(43)}=,${'y'.repeat(43)}=,${'z'.repeat(43)}=`;
    const json = await call(`GET /v1/sessions/${id}/qr`);
    expect(json.body).toEqual({ qr: gateway.fakes.qr, expiresAt: expect.stringMatching(/Z$/) });
    const response = await fetch(`${gateway.service.url}/v1/sessions/${id}/qr`, {
      headers: { authorization: `Bearer ${tenant.apiKey}`, accept: 'image/png' },
    });
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { data, width, height } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
    expect(jsQR.default(new Uint8ClampedArray(data), width, height)?.data).toBe(gateway.fakes.qr);
  });

  test('without a QR code to show is 409, also for a picture', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    gateway.fakes.qr = undefined;
    const answer = await call(`GET /v1/sessions/${id}/qr`, undefined, { accept: 'image/png' });
    expect(answer).toMatchObject({ status: 409, body: { code: 'QR_CONFLICT' } });
  });

  test('is not made or connected without an active subscription, but everything else works', async () => {
    const { apiKey, tenantId } = await gateway.createTenant({ subscription: 'PAUSED' });
    const path = `/v1/sessions/${gateway.fakes.addSession(tenantId).id}`;
    const status = async (route: string, body?: object) => (await gateway.call(apiKey, route, body)).status;
    expect(await status('POST /v1/sessions', { name: 'x' })).toBe(402);
    expect(await status(`POST ${path}/connect`)).toBe(402);
    for (const route of ['GET /v1/sessions', `GET ${path}`, `POST ${path}/disconnect`, 'GET /v1/messages']) {
      expect(await status(route)).toBe(200);
    }
  });

  test('is listed page by page with its tier', async () => {
    const { apiKey, tenantId } = await gateway.createTenant();
    const made = Array.from({ length: 5 }, () => gateway.fakes.addSession(tenantId).id).reverse();
    const seen: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await gateway.call(apiKey, `GET /v1/sessions?limit=2${cursor && `&before=${cursor}`}`);
      seen.push(...(body['items'] as { id: string }[]));
      cursor = body['nextCursor'] as string | null;
    }
    expect(seen).toMatchObject(made.map((id) => ({ id, warmupTier: 1 })));
  });

  test('is promoted with the reason and the key that asked', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const answer = await call(`POST /v1/sessions/${id}/promote-warmup-tier`, {
      tier: 3,
      reason: 'old number',
    });
    expect(answer).toMatchObject({ status: 200, body: { sessionId: id, tier: 3, previousTier: 1 } });
    expect(gateway.fakes.promotions.at(-1)).toEqual({
      ...{
        tenantId: tenant.tenantId,
        sessionId: id,
        tier: 3,
        reason: 'old number',
        actor: `key:${tenant.kid}`,
      },
    });
  });
});
