import { describe, expect, test } from '@jest/globals';
import { AssistantSettings, GetAssistantSettings, GetProvider } from '@svc/contracts';
import { expectError, fieldsOf } from '../support/answers.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

const call = (route: string, body?: unknown): Promise<Answer> => gateway.call(tenant.apiKey, route, body);
const aSession = (): string => gateway.fakes.addSession(tenant.tenantId).id;

describe('the provider of a tenant', () => {
  const provider = { baseUrl: 'https://models.example.com/v1', model: 'small-model' };

  test('is set, shown with the end of its key alone, and forgotten', async () => {
    expect((await call('GET /v1/assistant')).body).toEqual({ provider: null });
    const set = await call('PUT /v1/assistant', { ...provider, key: 'a-key-of-the-provider' });
    const shown = { ...provider, kind: 'openai', fallbackModel: null, keyEnding: 'ider', revision: 1 };
    expect(set).toMatchObject({ status: 200, body: { provider: shown } });
    expect((await call('GET /v1/assistant')).body).toEqual({ provider: shown });
    expect((await call('DELETE /v1/assistant')).status).toBe(204);
    expect((await call('DELETE /v1/assistant')).status).toBe(204);
    expect((await call('GET /v1/assistant')).body).toEqual({ provider: null });
  });

  test.each([
    ['no model', { model: undefined }, 'model'],
    ['a key with a blank', { key: 'a key' }, 'key'],
    ['an address that may not be connected to', { baseUrl: 'ftp://example.com' }, 'baseUrl'],
    ['a field nobody knows', { temperature: 1 }, 'temperature'],
  ])('with %s is refused, and the field named', async (_, change, field) => {
    const answer = await call('PUT /v1/assistant', { ...provider, ...change });
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(fieldsOf(answer)).toEqual([field]);
  });

  test('cannot be read where no assistant is installed', async () => {
    const answer = await gateway.fakes.without(GetProvider, () => call('GET /v1/assistant'));
    expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
  });
});

describe('the assistant of a session', () => {
  const put = (id: string, body: object): Promise<Answer> => call(`PUT /v1/sessions/${id}/assistant`, body);
  const publish = (id: string, body: object = {}): Promise<Answer> =>
    call(`POST /v1/sessions/${id}/assistant/publish`, body);
  const DEFAULTS = { ...new AssistantSettings() };

  test('that nobody has set answers nobody, and shows all its values', async () => {
    const { status, body } = await call(`GET /v1/sessions/${aSession()}/assistant`);
    expect([status, body]).toEqual([
      200,
      {
        ...{ draft: DEFAULTS, draftDefaults: Object.keys(DEFAULTS), revision: 0, published: null },
        ...{ evalsDemanded: false, evals: null },
      },
    ]);
    expect(body['draft']).toMatchObject({ mode: 'off' });
  });

  test('is a draft until it is published, and each value says whether it is the default', async () => {
    const id = aSession();
    const settings = { mode: 'auto', handoffWords: ['human'], debounceMs: 4_000 };
    const others = Object.keys(DEFAULTS).filter((name) => name !== 'mode' && name !== 'handoffWords');
    const draft = { ...DEFAULTS, ...settings };
    expect(await put(id, { settings })).toMatchObject({
      status: 200,
      body: { draft, draftDefaults: others, revision: 1, published: null },
    });
    const { publishedAt, ...published } = (await publish(id)).body['published'] as Record<string, unknown>;
    expect(published).toEqual({ version: 1, settings: draft, defaults: others });
    expect(publishedAt).toEqual(expect.any(String));
  });

  test('goes back to an earlier version, and the draft stays', async () => {
    const id = aSession();
    for (const mode of ['auto', 'off']) {
      await put(id, { settings: { mode } });
      expect((await publish(id)).status).toBe(200);
    }
    expect((await publish(id, { version: 1 })).body).toMatchObject({
      ...{ draft: { mode: 'off' }, published: { version: 1, settings: { mode: 'auto' } } },
    });
  });

  test('is not written over where somebody has changed it meanwhile', async () => {
    const id = aSession();
    await put(id, { settings: {}, ifRevision: 0 });
    await put(id, { settings: { typing: false } });
    expectError(await put(id, { settings: {}, ifRevision: 1 }), 409, 'ASSISTANT_CONFLICT');
    expectError(await publish(id, { ifRevision: 1 }), 409, 'ASSISTANT_CONFLICT');
    expectError(await publish(id, { version: 7 }), 409, 'ASSISTANT_CONFLICT');
  });

  test.each([
    ['no settings', {}, 'settings'],
    ['null for the settings', { settings: null }, 'settings'],
    ['a mode nobody knows', { settings: { mode: 'loud' } }, 'settings.mode'],
    ['a number that is too large', { settings: { debounceMs: 60_001 } }, 'settings.debounceMs'],
    ['a setting nobody knows', { settings: { humour: true } }, 'settings.humour'],
    ['null for the revision', { settings: {}, ifRevision: null }, 'ifRevision'],
  ])('with %s is refused, and the field named', async (_, body, field) => {
    const answer = await put(aSession(), body);
    expectError(answer, 400, 'VALIDATION_FAILED');
    expect(new Set(fieldsOf(answer))).toEqual(new Set([field]));
  });

  test('of another tenant is neither shown nor changed', async () => {
    const { tenantId } = await gateway.createTenant();
    const { id } = gateway.fakes.addSession(tenantId);
    const before = gateway.fakes.assistant.settings.size;
    expectError(await call(`GET /v1/sessions/${id}/assistant`), 403, 'FORBIDDEN');
    expectError(await put(id, { settings: {} }), 403, 'FORBIDDEN');
    expectError(await publish(id), 403, 'FORBIDDEN');
    expect(gateway.fakes.assistant.settings.size).toBe(before);
  });

  test('cannot be read where no assistant is installed', async () => {
    const id = aSession();
    const answer = await gateway.fakes.without(GetAssistantSettings, () =>
      call(`GET /v1/sessions/${id}/assistant`),
    );
    expectError(answer, 503, 'UPSTREAM_UNAVAILABLE');
  });
});
