import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type AuditEntry, GetAuditLog, SessionConnected } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { waitFor } from '@svc/testing';
import { expectError } from '../support/answers.js';
import { gateway, tenant, withGateway } from '../support/gateway.js';
import {
  BEHIND_PROXY,
  confirmName,
  help,
  HELPER_URL,
  look,
  open,
  opened,
  order,
  page,
  tokenFor,
  unlinked,
} from './links.js';

withGateway({ ...BEHIND_PROXY, GATEWAY_PUBLIC_URL: 'https://api.example.com/' });

beforeAll(async () => void (await confirmName()));

const audited = async (target: string): Promise<string[]> => {
  const { items } = await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId });
  return items.filter((entry: AuditEntry) => entry.target === target).map(({ action }) => action);
};
const endAll = (): Promise<unknown> =>
  gateway.service.database.query('UPDATE gateway.single_use_link SET expires_at = clock_timestamp()');

describe('the address of a link page', () => {
  test('is given out once, with the words of the tenant, and kept by nobody', async () => {
    const { id } = unlinked();
    const body = { reference: 'customer 4711', returnUrl: 'https://www.example.com/done' };
    const answer = await order(id, body);
    expect(answer).toMatchObject({ status: 201, body });
    const address = String(answer.body['address']);
    expect(address).toMatch(/^https:\/\/api\.example\.com\/link\/[\w-]{43}$/);
    const waits = Date.parse(String(answer.body['expiresAt'])) - Date.now();
    expect(Math.round(waits / 60_000)).toBe(60);
    const rows = await gateway.service.database.query<{ row: string }>(
      'SELECT t::text AS row FROM gateway.single_use_link t UNION ALL SELECT t::text FROM gateway.audit_log t',
    );
    expect(JSON.stringify(rows)).not.toContain(address.slice(-43));
    expect(await audited(id)).toEqual(['link_page.created']);
  });

  test('waits for as long as the tenant says', async () => {
    const { body } = await order(unlinked().id, { expiresInSeconds: 86_400 });
    expect(Math.round((Date.parse(String(body['expiresAt'])) - Date.now()) / 3_600_000)).toBe(24);
  });

  test.each([
    ['returnUrl', { returnUrl: 'http://www.example.com' }],
    ['returnUrl', { returnUrl: 'javascript:alert(1)' }],
    ['returnUrl', { returnUrl: 'https://www.example.com/"><script>' }],
    ['expiresInSeconds', { expiresInSeconds: 59 }],
    ['expiresInSeconds', { expiresInSeconds: 86_401 }],
    ['reference', { reference: '' }],
  ])('is not made with a wrong %s', async (field, body) => {
    const answer = await order(unlinked().id, body);
    expect(answer).toMatchObject({ status: 400, body: { meta: { fields: [{ field }] } } });
  });

  test('is not made for a number that is linked', async () => {
    expectError(await order(gateway.fakes.addSession(tenant.tenantId).id), 409, 'ALREADY_LINKED');
  });

  test('is made by those alone who may link numbers', async () => {
    const { id } = unlinked();
    const made = await gateway.call(tenant.apiKey, 'POST /v1/api-keys', { scopes: ['messages:send'] });
    expectError(await order(id, {}, String(made.body['secret'])), 403, 'FORBIDDEN');
    expectError(await order(id, {}, (await gateway.createTenant()).apiKey), 403, 'FORBIDDEN');
  });

  test('is not made before the operator has allowed it, and opens no more when that is withdrawn', async () => {
    const other = await gateway.createTenant();
    const { id } = gateway.fakes.addSession(other.tenantId, { status: 'AWAITING_SCAN', phone: null });
    expectError(await order(id, {}, other.apiKey), 403, 'LINK_PAGE_NOT_ALLOWED');
    await confirmName('Other Shop', other.tenantId);
    const answer = await order(id, {}, other.apiKey);
    expect(answer.status).toBe(201);
    await confirmName(null, other.tenantId);
    const token = String(answer.body['address']).slice(-43);
    expect(await look(token)).toMatchObject({ status: 403, body: { code: 'LINK_PAGE_NOT_ALLOWED' } });
    expect(await open(token)).toMatchObject({ status: 403 });
  });
});

describe('a link', () => {
  test('says who will read and write, and looking at it changes nothing', async () => {
    const token = await tokenFor(unlinked().id);
    const names = { installation: 'Test Messaging', tenant: 'Acme Flowers' };
    for (const _ of [1, 2]) {
      const answer = await look(token);
      expect(answer).toMatchObject({ status: 200, body: { names, isOpened: false } });
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('of a sandbox shows the name of its tenant', async () => {
    const sandbox = await gateway.sandboxOf(tenant);
    const { id } = gateway.fakes.addSession(sandbox.tenantId, { status: 'AWAITING_SCAN', phone: null });
    const { body } = await order(id, {}, sandbox.apiKey);
    expect((await look(String(body['address']).slice(-43))).body).toMatchObject({
      names: { tenant: 'Acme Flowers' },
    });
  });

  test('is opened by consent alone, which is in the audit log with the names that were shown', async () => {
    const { id } = unlinked();
    const token = await tokenFor(id);
    for (const consents of [false, undefined, 'true']) {
      expect(
        (await page('POST /open', { token, language: 'en', ...(consents !== undefined && { consents }) }))
          .status,
      ).toBe(400);
    }
    expect((await open(token)).status).toBe(200);
    expect(await audited(id)).toEqual(['link_page.consented', 'link_page.created']);
  });

  test('is opened by one of many that try at once, and the others are told so', async () => {
    const token = await tokenFor(unlinked().id);
    const all = await Promise.all(Array.from({ length: 8 }, () => open(token)));
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    for (const answer of all.filter(({ status }) => status === 409))
      expectError(answer, 409, 'LINK_CONFLICT');
    expect((await look(token)).body).toMatchObject({ isOpened: true });
  });

  test('is replaced by a newer one for the same session, opened or not', async () => {
    const { id } = unlinked();
    const [first, key] = [await tokenFor(id), await opened(id)];
    expectError(await look(first), 404, 'LINK_NOT_FOUND');
    await tokenFor(id);
    expectError(await page('GET ', undefined, key), 404, 'LINK_NOT_FOUND');
  });

  test('ends with its time, before it is opened and after', async () => {
    const [token, key] = [await tokenFor(unlinked().id), await opened(unlinked().id)];
    await endAll();
    for (const answer of [await look(token), await open(token), await page('GET ', undefined, key)]) {
      expectError(answer, 410, 'LINK_ENDED');
      expect(answer.body['meta']).toEqual({ reason: 'EXPIRED' });
    }
  });

  test.each(['x', '', 'a'.repeat(43)])('that nobody made is none: %s', async (token) => {
    expect([400, 404]).toContain((await look(token)).status);
    expectError(await page('GET ', undefined, token || undefined), 404, 'LINK_NOT_FOUND');
  });
});

describe('the page of a link', () => {
  let key: string;
  let id: string;
  beforeEach(async () => {
    ({ id } = unlinked());
    key = await opened(id, { returnUrl: 'https://www.example.com/done' });
  });
  const progress = async (): Promise<Record<string, unknown>> => (await page('GET ', undefined, key)).body;
  const bring = (change: object): void =>
    void Object.assign(gateway.fakes.sessions.get(id)?.state ?? {}, change);

  test('shows the QR code while there is one, and has another drawn when the session rests', async () => {
    expect(await progress()).toMatchObject({ stage: 'scan', qr: { path: expect.stringMatching(/^M/) } });
    bring({ status: 'DISCONNECTED', statusReason: 'QR_EXPIRED' });
    expect(await progress()).toMatchObject({ stage: 'waiting', qr: null });
    expect(gateway.fakes.wishes.at(-1)).toMatchObject({ sessionId: id, action: 'connect' });
  });

  test('leaves a session alone for half a minute that could not connect', async () => {
    const wishes = (): number => gateway.fakes.wishes.filter(({ sessionId }) => sessionId === id).length;
    const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
    const refused = { status: 'DISCONNECTED', statusReason: 'PLATFORM_REFUSED' };
    bring({ ...refused, statusSince: secondsAgo(1) });
    expect(await progress()).toMatchObject({ stage: 'waiting' });
    expect(wishes()).toBe(0);
    bring({ ...refused, statusSince: secondsAgo(31) });
    await progress();
    expect(wishes()).toBe(1);
  });

  test('gives a code to type', async () => {
    const answer = await page('POST /code', { phone: '+4915112345678' }, key);
    expect(answer).toMatchObject({ status: 200, body: { code: 'ABCD2345' } });
  });

  test('leads through the passkey', async () => {
    bring({ status: 'PASSKEY_REQUIRED' });
    gateway.fakes.linking.bring(id, 'challenge');
    expect(await progress()).toMatchObject({ stage: 'passkey', helperUrl: HELPER_URL });
    expect((await page('GET /passkey', undefined, key)).body).toMatchObject({ stage: 'challenge' });
    const { body } = await page('POST /passkey/helper', undefined, key);
    expect((await help(String(body['token']))).status).toBe(204);
    expect((await page('GET /passkey', undefined, key)).body).toMatchObject({ stage: 'sent' });
    gateway.fakes.linking.bring(id, 'compare');
    expectError(await page('POST /passkey/confirm', { code: 'AAAA-AAAA' }, key), 400, 'VALIDATION_FAILED');
    expect((await page('POST /passkey/confirm', { code: 'ABCD-2345' }, key)).body).toMatchObject({
      stage: 'finishing',
    });
  });

  test('says why the passkey came to nothing, and may begin again', async () => {
    gateway.fakes.linking.bring(id, 'challenge');
    expect((await page('DELETE /passkey', undefined, key)).status).toBe(204);
    expectError(await page('GET /passkey', undefined, key), 410, 'PASSKEY_ENDED');
    expect(await progress()).toMatchObject({ stage: 'scan' });
  });

  test('ends when the number is linked, with where to go on, and leads to nothing else from then on', async () => {
    bring({ status: 'CONNECTED', phone: '+4915112345678' });
    const end = { stage: 'linked', phone: '…678', returnUrl: 'https://www.example.com/done' };
    expect(await progress()).toMatchObject(end);
    expect(await progress()).toMatchObject(end);
    expect((await audited(id)).filter((action) => action === 'link_page.used')).toHaveLength(1);
    bring({ status: 'LOGGED_OUT', phone: null });
    expectError(await page('POST /code', { phone: '+4915112345678' }, key), 410, 'LINK_ENDED');
    expectError(await page('DELETE /passkey', undefined, key), 410, 'LINK_ENDED');
  });

  test('has the number tell itself who reads and writes on it, once', async () => {
    bring({ status: 'CONNECTED', phone: '+4915112345678' });
    const { tenantId } = tenant;
    const data = { sessionId: id, phone: '+4915112345678', timestamp: new Date().toISOString() };
    for (const _ of [1, 2])
      await gateway.fakes.messaging.publishEvent(envelopeOf(SessionConnected, { tenantId }, data));
    const commands = () => gateway.commandsOf(id);
    await waitFor('the message', async () => (await commands()).length > 0);
    await progress();
    await progress();
    const texts = (await commands()).map(({ data: { content, to } }) => [to, content.text]);
    expect(texts).toEqual([
      ['4915112345678@s.whatsapp.net', expect.stringMatching(/Acme Flowers.*Test Messaging.*Linked devices/)],
    ]);
    expect((await audited(id)).filter((action) => action === 'link_page.used')).toHaveLength(1);
  });

  test('opens no more when its tenant is suspended', async () => {
    await gateway.service.database.query('UPDATE gateway.tenant SET suspended_at = clock_timestamp()');
    expectError(await page('GET ', undefined, key), 403, 'LINK_PAGE_NOT_ALLOWED');
    expectError(await page('GET /passkey', undefined, key), 403, 'LINK_PAGE_NOT_ALLOWED');
    await gateway.service.database.query('UPDATE gateway.tenant SET suspended_at = NULL');
  });
});
