import { afterEach, describe, expect, test } from '@jest/globals';
import { CreateSession, type NewTenant, PutBoundEndpoint, SetBotMode } from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => gateway.fakes.mute.clear());

const webhookUrl = 'https://example.com/bot';
const create = ({ apiKey }: NewTenant, body: object): Promise<Answer> =>
  gateway.call(apiKey, 'POST /v1/sessions', { name: 'Support line', ...body });
const read = ({ apiKey }: NewTenant, path: string): Promise<Answer> => gateway.call(apiKey, `GET ${path}`);

/** Counts what there is of a tenant: sessions, endpoints, creations under way. */
async function madeFor({ tenantId, apiKey }: NewTenant): Promise<number[]> {
  const { items } = (await read({ apiKey } as NewTenant, '/v1/sessions')).body as { items: object[] };
  const endpoints = [...gateway.fakes.dispatcher.endpoints.values()].filter(
    (one) => one.tenantId === tenantId,
  );
  const rows = await gateway.service.database.query(
    'SELECT FROM gateway.session_creation WHERE tenant_id = $1',
    [tenantId],
  );
  return [items.length, endpoints.length, rows.length];
}

describe('a session that is created in external mode', () => {
  test('has its bot from the first moment, and the answer has what PUT external-config would have', async () => {
    const made = await create(tenant, { botMode: 'EXTERNAL', webhookUrl });
    expect(made).toMatchObject({
      ...{ status: 201, body: { name: 'Support line', botMode: 'EXTERNAL', answers: 'webhook' } },
    });
    const { id, externalConfig } = made.body as { id: string; externalConfig: Record<string, unknown> };
    const { env, ...shown } = externalConfig;
    expect((await read(tenant, `/v1/sessions/${id}/external-config`)).body).toEqual(shown);
    expect(shown).toMatchObject({ botMode: 'EXTERNAL', answers: 'webhook', webhookUrl });
    expect(env).toEqual({
      ...{ SVC_TENANT_ID: tenant.tenantId, SVC_SESSION_ID: id, SVC_WEBHOOK_SECRET: shown['webhookSecret'] },
    });
    expect((await read(tenant, `/v1/sessions/${id}`)).body).toMatchObject({
      botMode: 'EXTERNAL',
      answers: 'webhook',
    });
    const { apiKey } = tenant;
    const put = await gateway.call(apiKey, `PUT /v1/sessions/${id}/external-config`, { enabled: true });
    expect(put.body).toEqual(externalConfig);
  });

  test.each([
    ['without a receiver', { botMode: 'EXTERNAL' }, 'webhookUrl'],
    ['with a receiver that is none', { botMode: 'EXTERNAL', webhookUrl: 'ftp://example.com' }, 'webhookUrl'],
    ['with a receiver, and managed', { botMode: 'MANAGED', webhookUrl }, 'webhookUrl'],
    ['with a receiver, and no mode', { webhookUrl }, 'webhookUrl'],
    ['with a mode that there is not', { botMode: 'BOTH' }, 'botMode'],
    ['with null for a mode', { botMode: null }, 'botMode'],
  ])('%s is refused, naming the field, and there is nothing of it', async (_, body, field) => {
    const owner = await gateway.createTenant();
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED', meta: { fields: [{ field }] } } };
    expect(await create(owner, body)).toMatchObject(refused);
    expect(await madeFor(owner)).toEqual([0, 0, 0]);
  });

  test('is not there where the plan has no room for it, nor is its endpoint', async () => {
    const owner = await gateway.createTenant({ plan: 'STARTER' });
    expect((await create(owner, {})).status).toBe(201);
    expect((await create(owner, { botMode: 'EXTERNAL', webhookUrl })).status).toBe(429);
    expect(await madeFor(owner)).toEqual([1, 0, 0]);
  });

  test('is not there where nothing is paid, nor is its endpoint', async () => {
    const owner = await gateway.createTenant({ subscription: 'UNPAID' });
    expect((await create(owner, { botMode: 'EXTERNAL', webhookUrl })).status).toBe(402);
    expect(await madeFor(owner)).toEqual([0, 0, 0]);
  });

  test.each([
    ['the dispatcher', PutBoundEndpoint],
    ['the owner of the mode', SetBotMode],
  ])('is gone where %s is away', async (_, contract) => {
    const owner = await gateway.createTenant();
    await gateway.fakes.without(contract, async () => {
      expect((await create(owner, { botMode: 'EXTERNAL', webhookUrl })).status).toBe(503);
    });
    expect((await madeFor(owner))[0]).toBe(0);
  });

  test('is deleted also where it is made after the caller was told that it failed', async () => {
    const owner = await gateway.createTenant();
    gateway.fakes.mute.add(CreateSession.subject);
    expect((await create(owner, { botMode: 'EXTERNAL', webhookUrl })).status).toBe(504);
    // The session may be made later: a minute on it is looked for again.
    gateway.fakes.addSession(owner.tenantId, { id: await creationOf(owner) });
    await due(owner);
    await waitFor('the session to be gone', async () => (await madeFor(owner)).join() === '0,0,0');
  });
});

async function creationOf({ tenantId }: NewTenant): Promise<string> {
  const sql = 'SELECT session_id AS id FROM gateway.session_creation WHERE tenant_id = $1';
  const [row] = await gateway.service.database.query<{ id: string }>(sql, [tenantId]);
  return String(row?.id);
}

/** Lets the minute pass in which a creation may be under way. */
async function due({ tenantId }: NewTenant): Promise<void> {
  const sql = `UPDATE gateway.session_creation SET due_at = clock_timestamp() WHERE tenant_id = $1`;
  await gateway.service.database.query(sql, [tenantId]);
}

describe('who answers', () => {
  test('stands beside the mode: nobody, until somebody asks for an assistant or a bot', async () => {
    const owner = await gateway.createTenant();
    const made = await create(owner, {});
    const nobody = { botMode: 'MANAGED', answers: 'nobody' };
    expect(made.body).toMatchObject(nobody);
    const path = `/v1/sessions/${made.body['id'] as string}`;
    for (const one of [path, `${path}/external-config`])
      expect((await read(owner, one)).body).toMatchObject(nobody);
    expect((await read(owner, '/v1/sessions')).body).toMatchObject({ items: [nobody] });
  });

  test('is the bot in external mode, in every answer, and nobody again after it', async () => {
    const owner = await gateway.createTenant();
    const { body } = await create(owner, {});
    const path = `/v1/sessions/${body['id'] as string}`;
    const put = (change: object): Promise<Answer> =>
      gateway.call(owner.apiKey, `PUT ${path}/external-config`, change);
    expect((await put({ enabled: true, webhookUrl })).body).toMatchObject({ answers: 'webhook' });
    expect((await read(owner, '/v1/sessions')).body).toMatchObject({ items: [{ answers: 'webhook' }] });
    expect((await gateway.call(owner.apiKey, `PATCH ${path}`, { name: 'Sales' })).body).toMatchObject({
      answers: 'webhook',
    });
    expect((await put({ enabled: false })).body).toMatchObject({ answers: 'nobody' });
    expect((await read(owner, path)).body).toMatchObject({ answers: 'nobody' });
  });
});
