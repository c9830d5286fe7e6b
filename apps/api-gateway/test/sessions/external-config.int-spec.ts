import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  type AuditEntry,
  type ExternalConfig,
  GetAuditLog,
  HEARS_BY_DEFAULT,
  type NewApiKey,
  PutBoundEndpoint,
  SetBotMode,
  type WebhookEndpoint,
} from '@svc/contracts';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => gateway.fakes.mute.clear());

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const audit = async (): Promise<AuditEntry[]> =>
  (await gateway.service.rpc.request(GetAuditLog, { tenantId: tenant.tenantId })).items;

describe('external mode', () => {
  const external = (id: string, body: object): Promise<Answer> =>
    call(`PUT /v1/sessions/${id}/external-config`, body);
  const url = 'https://example.com/bot';

  test('needs a URL the first time, and has none before', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toEqual({
      ...{ botMode: 'MANAGED', botModeReason: null, answers: 'nobody', failover: null },
      ...{ webhookUrl: null, webhookSecret: null },
      ...{ endpointId: null, endpointStatus: null, pausedReason: null, events: null, hears: null },
    });
    const refused = await external(id, { enabled: true });
    expect(refused).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'webhookUrl' }] } } });
    const wrong = await external(id, { enabled: true, webhookUrl: 'ftp://example.com' });
    expect(wrong).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'webhookUrl' }] } } });
    expect(gateway.fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  });

  test('takes nothing for its endpoint before it is enabled the first time, and names all that it refuses', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const off = (fields: object): Promise<Answer> => external(id, { enabled: false, ...fields });
    const given = { webhookUrl: url, events: [], hears: { own: true }, rotateSecret: true };
    for (const [field, value] of Object.entries(given))
      expect(await off({ [field]: value })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', meta: { fields: [{ field }] } },
      });
    const fields = Object.keys(given).map((field) => ({ field }));
    expect(await off(given)).toMatchObject({ status: 400, body: { meta: { fields } } });
    const nothing = { webhookUrl: null, events: null, hears: null, rotateSecret: false };
    expect((await off(nothing)).body).toMatchObject({ botMode: 'MANAGED', endpointId: null });
  });

  test('is enabled, disabled and enabled again with the same secret', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const on = await external(id, { enabled: true, webhookUrl: url });
    const secret = on.body['webhookSecret'] as string;
    expect(on).toMatchObject({ status: 200, body: { botMode: 'EXTERNAL', webhookUrl: url } });
    expect(on.body['env']).toEqual({
      ...{ SVC_TENANT_ID: tenant.tenantId, SVC_SESSION_ID: id, SVC_WEBHOOK_SECRET: secret },
    });
    const off = await external(id, { enabled: false });
    const of = {
      webhookUrl: url,
      webhookSecret: secret,
      pausedReason: null,
      events: [],
      hears: HEARS_BY_DEFAULT,
      botModeReason: null,
      failover: null,
    };
    const endpointId = on.body['endpointId'];
    expect(off.body).toEqual({
      ...of,
      botMode: 'MANAGED',
      answers: 'nobody',
      endpointId,
      endpointStatus: 'DISABLED',
    });
    const bound = [...gateway.fakes.dispatcher.endpoints.values()].find(
      ({ endpoint }) => endpoint.sessionId === id,
    );
    expect(bound?.endpoint).toMatchObject({ id: endpointId, status: 'DISABLED' });
    expect((await external(id, { enabled: true })).body).toMatchObject({
      botMode: 'EXTERNAL',
      webhookSecret: secret,
    });
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toEqual({
      ...{ ...of, botMode: 'EXTERNAL', answers: 'webhook', endpointId, endpointStatus: 'ACTIVE' },
    });
  });

  test('says that its endpoint is paused, which another address ends and enabling does not', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const { body } = await external(id, { enabled: true, webhookUrl: url });
    await call(`POST /v1/webhooks/${String(body['endpointId'])}/pause`);
    const paused = { endpointStatus: 'PAUSED', pausedReason: 'REQUESTED' };
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toMatchObject(paused);
    await external(id, { enabled: false });
    expect((await external(id, { enabled: true })).body).toMatchObject(paused);
    expect((await external(id, { enabled: true, webhookUrl: `${url}/2` })).body).toMatchObject({
      ...{ endpointId: body['endpointId'], endpointStatus: 'ACTIVE', pausedReason: null },
    });
  });

  test('says which other endpoint posts the same events to the same address', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    await external(id, { enabled: true, webhookUrl: url });
    const owned = [...gateway.fakes.dispatcher.endpoints.values()];
    const bound = owned.find(({ endpoint }) => endpoint.sessionId === id);
    const sameUrlAs = [randomUUID()];
    if (bound) bound.endpoint.sameUrlAs = sameUrlAs;
    expect((await external(id, { enabled: true })).body).toMatchObject({ sameUrlAs });
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toMatchObject({ sameUrlAs });
  });

  test('takes, shows, keeps and takes back when the session fails over, and says that it has', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const failover = { afterMinutes: 5 };
    const read = async () => (await call(`GET /v1/sessions/${id}/external-config`)).body;
    expect((await external(id, { enabled: true, webhookUrl: url, failover })).body).toMatchObject({
      failover,
    });
    await external(id, { enabled: true });
    expect(await read()).toMatchObject({ failover, botMode: 'EXTERNAL', botModeReason: null });
    Object.assign(gateway.fakes.sessions.get(id)?.state ?? {}, {
      botMode: 'MANAGED',
      botModeReason: 'FAILOVER',
    });
    expect(await read()).toMatchObject({ failover, botMode: 'MANAGED', botModeReason: 'FAILOVER' });
    expect((await call(`GET /v1/sessions/${id}`)).body).toMatchObject({ botModeReason: 'FAILOVER' });
    expect((await external(id, { enabled: true, failover: null })).body).toMatchObject({ failover: null });
    expect(await read()).toMatchObject({ failover: null });
  });

  test.each([
    ['failover.afterMinutes', { afterMinutes: 0 }],
    ['failover.afterMinutes', { afterMinutes: 1_441 }],
    ['failover.afterMinutes', { afterMinutes: 1.5 }],
    ['failover.afterMinutes', {}],
    ['failover', 5],
    ['failover.minutes', { afterMinutes: 5, minutes: 5 }],
  ])('refuses a fail-over by naming %s: %j', async (field, failover) => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const refused = await external(id, { enabled: true, webhookUrl: url, failover });
    expect(refused).toMatchObject({ status: 400, body: { meta: { fields: [{ field }] } } });
    expect(gateway.fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  });

  test('has its receiver before the mode changes, and keeps it until the mode has changed back', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const order = (): string[] =>
      gateway.fakes.asked.filter(
        (subject) => subject === SetBotMode.subject || subject === PutBoundEndpoint.subject,
      );
    gateway.fakes.asked = [];
    await external(id, { enabled: true, webhookUrl: url });
    expect(order()).toEqual([PutBoundEndpoint.subject, SetBotMode.subject]);
    gateway.fakes.asked = [];
    await external(id, { enabled: false });
    expect(order()).toEqual([SetBotMode.subject, PutBoundEndpoint.subject]);
  });

  test('rotates the secret, and mints a key that works and rotates nothing', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const first = await external(id, { enabled: true, webhookUrl: url });
    const next = await external(id, { enabled: true, rotateSecret: true, mintApiKey: true });
    expect(next.body['webhookSecret']).not.toBe(first.body['webhookSecret']);
    const env = next.body['env'] as Record<string, string>;
    expect(env['SVC_WEBHOOK_SECRET']).toBe(next.body['webhookSecret']);
    expect((await gateway.call(env['SVC_API_KEY'], 'GET /v1/sessions')).status).toBe(200);
    expect(JSON.stringify((await call('GET /v1/api-keys')).body)).not.toMatch(/"expiresAt":"/);
  });

  test('mints a key that may do what is asked, and names those that were minted before for the session', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const scopes = ['messages:send', 'messages:read'];
    const mint = async (): Promise<ExternalConfig> => {
      const answer = await external(id, { enabled: true, webhookUrl: url, mintApiKey: true, scopes });
      expect(answer.status).toBe(200);
      return answer.body as unknown as ExternalConfig;
    };
    const [first, second] = [await mint(), await mint()];
    expect(first.mintedKey).toMatchObject({ name: 'Bot of Support line', scopes, earlier: [] });
    const key = second.env?.SVC_API_KEY;
    expect((await gateway.call(key, 'GET /v1/sessions')).status).toBe(200);
    expect((await gateway.call(key, 'GET /v1/api-keys')).status).toBe(403);
    const { body: next } = await gateway.call(key, 'POST /v1/api-keys');
    expect(next).toMatchObject({ scopes, sessionId: id });
    await call(`DELETE /v1/api-keys/${second.mintedKey?.kid}`);
    expect((await mint()).mintedKey?.earlier).toEqual([next['kid'], first.mintedKey?.kid]);
    const other = gateway.fakes.addSession(tenant.tenantId);
    const elsewhere = await external(other.id, { enabled: true, webhookUrl: url, mintApiKey: true });
    expect(elsewhere.body['mintedKey']).toMatchObject({ scopes: ['*'], earlier: [] });
  });

  test('takes scopes for a key that is minted, and for nothing else', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    for (const body of [{ scopes: ['messages:send'] }, { mintApiKey: true, scopes: [] }]) {
      const answer = await external(id, { enabled: true, webhookUrl: url, ...body });
      expect(answer).toMatchObject({ status: 400, body: { meta: { fields: [{ field: 'scopes' }] } } });
    }
    expect(gateway.fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  });

  test('takes scopes that are null for scopes that are left out', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const minted = { status: 200, body: { mintedKey: { scopes: ['*'] } } };
    expect(await external(id, { enabled: false, mintApiKey: true, scopes: null })).toMatchObject(minted);
  });

  test('takes a filter of events and what the bot hears, and says both', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const [events, hears] = [['message.received'], { groups: false, own: true, changes: false }];
    const put = { enabled: true, webhookUrl: url, events, hears: { groups: false, own: true } };
    expect((await external(id, put)).body).toMatchObject({ events, hears });
    expect((await external(id, { enabled: true })).body).toMatchObject({ events, hears });
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toMatchObject({ events, hears });
    for (const [wrong, field] of [
      [{ events: ['message.sent'] }, 'events'],
      [{ events: ['message.lost'] }, 'events'],
      [{ hears: { own: 1 } }, 'hears.own'],
    ] as const)
      expect(await external(id, { enabled: true, ...wrong })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', meta: { fields: [{ field }] } },
      });
  });

  test('keeps its endpoint: it is not deleted while it answers, and its events have the messages that arrive', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    await external(id, { enabled: true, webhookUrl: url });
    const { items } = (await call('GET /v1/webhooks?limit=200')).body as { items: WebhookEndpoint[] };
    const path = `/v1/webhooks/${items.find(({ sessionId }) => sessionId === id)?.id}`;
    const conflict = { status: 409, body: { code: 'SESSION_STATE_CONFLICT' } };
    expect(await call(`DELETE ${path}`)).toMatchObject(conflict);
    expect(await call(`PATCH ${path}`, { events: ['message.sent'] })).toMatchObject({
      status: 400,
      body: { meta: { fields: [{ field: 'events' }] } },
    });
    expect(await call(`PATCH ${path}`, { name: 'My bot' })).toMatchObject({ status: 200 });
    await external(id, { enabled: false });
    expect((await call(`DELETE ${path}`)).status).toBe(204);
    expect((await call(`GET /v1/sessions/${id}/external-config`)).body).toMatchObject({ endpointId: null });
  });

  test('mints no key for a caller that may not make keys', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const narrow = (await call('POST /v1/api-keys', { scopes: ['webhooks:manage'], rotates: null }))
      .body as unknown as NewApiKey;
    for (const scopes of [{}, { scopes: ['webhooks:manage'] }]) {
      const body = { enabled: true, webhookUrl: url, mintApiKey: true, ...scopes };
      const answer = await gateway.call(narrow.secret, `PUT /v1/sessions/${id}/external-config`, body);
      expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
    expect(gateway.fakes.sessions.get(id)?.state.botMode).toBe('MANAGED');
  });

  test('leaves a trace: the mode, each sight of the secret, the key; and never a secret itself', async () => {
    const { id } = gateway.fakes.addSession(tenant.tenantId);
    const { body } = await external(id, { enabled: true, webhookUrl: url, mintApiKey: true });
    await call(`GET /v1/sessions/${id}/external-config`);
    const entries = await audit();
    expect(
      entries.filter(({ target }) => target === id).map(({ action, actor }) => `${actor} ${action}`),
    ).toEqual([
      `key:${tenant.kid} webhook_secret.read`,
      `key:${tenant.kid} webhook_secret.read`,
      `key:${tenant.kid} bot_mode.changed`,
    ]);
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'api_key.created',
        details: expect.objectContaining({ name: 'Bot of Support line' }),
      }),
    );
    const text = JSON.stringify(entries);
    expect(text).not.toContain(body['webhookSecret']);
    expect(text).not.toContain((body['env'] as Record<string, string>)['SVC_API_KEY']);
  });
});

describe('changes of who answers a session', () => {
  const webhookUrl = 'https://example.com/bot';
  const session = (): string => gateway.fakes.addSession(tenant.tenantId).id;
  const put = (id: string, body: object): Promise<Answer> =>
    call(`PUT /v1/sessions/${id}/external-config`, body);
  const modeOf = (id: string): string | undefined => gateway.fakes.sessions.get(id)?.state.botMode;
  const boundTo = (id: string) =>
    [...gateway.fakes.dispatcher.endpoints.values()].find(({ endpoint }) => endpoint.sessionId === id)
      ?.endpoint;
  /** Reads the audit lines of a session, oldest first. */
  const linesOf = async (id: string): Promise<unknown[]> => {
    const own = (await audit()).filter(
      ({ target, action }) => target === id && action !== 'webhook_secret.read',
    );
    return own.reverse().map(({ action, details }) => [action, details['after'] ?? null]);
  };
  const ENABLED = ['bot_mode.changed', 'EXTERNAL'];
  const DISABLED = ['bot_mode.changed', 'MANAGED'];
  const ROTATED = ['webhook_secret.rotated', null];

  test('at the same time end with mode and receiver in agreement, and each has its line', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all([true, false, true, false].map((enabled) => put(id, { enabled })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect([modeOf(id), boundTo(id)?.status]).toEqual(
        modeOf(id) === 'EXTERNAL' ? ['EXTERNAL', 'ACTIVE'] : ['MANAGED', 'DISABLED'],
      );
    }
    // The order of lines is that in which they reached the chain.
    const lines = await linesOf(id);
    const [enabled, disabled] = [ENABLED, DISABLED].map(
      (line) => lines.filter((one) => isDeepStrictEqual(one, line)).length,
    ) as [number, number];
    expect(lines).toHaveLength(enabled + disabled);
    expect(enabled - disabled).toBe(modeOf(id) === 'EXTERNAL' ? 1 : 0);
  });

  test('never leave it in external mode without a receiver, wherever somebody else comes in between', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    const broken: unknown[] = [];
    gateway.fakes.watch = () => {
      if (modeOf(id) === 'EXTERNAL' && boundTo(id)?.status !== 'ACTIVE') broken.push(boundTo(id)?.status);
    };
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([true, false, true, false, true].map((enabled) => put(id, { enabled })));
    }
    gateway.fakes.watch = () => undefined;
    expect(broken).toEqual([]);
  });

  test('rotate the secret once, also where enabling takes several tries', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    const asked = gateway.fakes.asked.length;
    // Another call disables it between the reading of the version and the change of the mode.
    gateway.fakes.before(SetBotMode, () => gateway.fakes.disable(id));
    const { status, body } = await put(id, { enabled: true, rotateSecret: true });
    expect([status, body['botMode'], modeOf(id), boundTo(id)?.status]).toEqual([
      ...[200, 'EXTERNAL', 'EXTERNAL', 'ACTIVE'],
    ]);
    const subjects = gateway.fakes.asked.slice(asked);
    expect(subjects.filter((subject) => subject === SetBotMode.subject)).toHaveLength(2);
    expect((await linesOf(id)).filter((line) => (line as unknown[])[0] === ROTATED[0])).toEqual([ROTATED]);
    expect(body['webhookSecret']).toBe(boundTo(id)?.secret);
  });

  test('that were cut off are brought about by their repeat, and what was done before has its line', async () => {
    const id = session();
    await put(id, { enabled: true, webhookUrl });
    gateway.fakes.mute.add(SetBotMode.subject);
    expect(await put(id, { enabled: false, rotateSecret: true })).toMatchObject({
      ...{ status: 504, body: { code: 'UPSTREAM_TIMEOUT' } },
    });
    gateway.fakes.mute.clear();
    expect(await linesOf(id)).toEqual([ENABLED, DISABLED]);
    expect((await put(id, { enabled: false, rotateSecret: true })).status).toBe(200);
    expect(boundTo(id)?.status).toBe('DISABLED');
    expect(await linesOf(id)).toEqual([ENABLED, DISABLED, ROTATED]);
  });

  test('that were refused have no line', async () => {
    const id = session();
    expect((await put(id, { enabled: true, webhookUrl: 'http://example.com' })).status).toBe(400);
    await gateway.fakes.without(SetBotMode, async () => {
      expect((await put(id, { enabled: true, webhookUrl })).status).toBe(503);
    });
    expect(await linesOf(id)).toEqual([]);
    expect((await put(id, { enabled: true })).status).toBe(200);
    expect(await linesOf(id)).toEqual([ENABLED]);
  });
});

test('the owner of a session is told who deletes it', async () => {
  const { id } = gateway.fakes.addSession(tenant.tenantId);
  gateway.fakes.wishes.length = 0;
  expect((await call(`DELETE /v1/sessions/${id}`)).status).toBe(204);
  expect((await call(`DELETE /v1/sessions/${id}`)).status).toBe(404);
  const { tenantId, kid } = tenant;
  expect(gateway.fakes.wishes).toEqual([{ tenantId, sessionId: id, action: 'delete', actor: `key:${kid}` }]);
});
