import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CreateSession, type Entitlements, FindMessages, type NewTenant, Reserve } from '@svc/contracts';
import { TOKENS, USAGE, WARMUP } from '../support/figures.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => {
  Object.assign(gateway.fakes, { ...USAGE, refusal: undefined, goodForMs: 30_000, asked: [] });
});

const call = (route: string, body?: object, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, route, body);
const send = (body: object): Promise<Answer> => call('POST /v1/messages', { to: '+15550001111', ...body });
const session = (status: 'CONNECTED' | 'DISCONNECTED' = 'CONNECTED'): string =>
  gateway.fakes.addSession(tenant.tenantId, { status }).id;
const messagesOf = (sessionId: string) =>
  gateway.service.database.query('SELECT * FROM gateway.message WHERE session_id = $1', [sessionId]);
const { resetAt } = USAGE;

describe('the limits of a tenant', () => {
  test('are shown layer by layer, used and left', async () => {
    const { tenantId, apiKey } = await gateway.createTenant({ plan: 'STARTER' });
    const { id } = gateway.fakes.addSession(tenantId);
    const answer = await call('GET /v1/limits', undefined, apiKey);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      ...{ plan: 'STARTER', resetAt },
      messages: { limit: 1_000, used: 58, left: 942 },
      llmCalls: { limit: 500, used: 7, left: 493 },
      tokens: TOKENS,
      sessions: { limit: 1, used: 1, left: 0 },
      uploads: { limit: 5e9, used: 0, left: 5e9 },
      media: { limit: 5e9, used: 1_000_000, left: 4_999_000_000 },
      endpoints: { limit: 50, used: 0, left: 50 },
      apiKeys: { limit: 100, used: 1, left: 99 },
      widgets: { limit: 100, used: 0, left: 100 },
      scheduled: { limit: 10_000, used: 0, left: 10_000 },
      requestsPerSecond: 1_000,
      perSession: [{ sessionId: id, tier: 2, messages: { limit: 250, used: 42, left: 208 } }],
    });
  });

  test('are shown of one session with what may go at this moment', async () => {
    const sessionId = session();
    gateway.fakes.planUsed = 9_990;
    const answer = await call(`GET /v1/sessions/${sessionId}/limits`);
    expect(answer.body).toEqual({
      ...{ sessionId, readOnly: false, tier: 2, resetAt, left: 10 },
      session: { limit: 250, used: 42, left: 208 },
      plan: { limit: 10_000, used: 9_990, left: 10 },
      tokens: TOKENS,
    });
  });

  test('do not bind the internal tenant, and are readable without a subscription', async () => {
    const internal = await gateway.createTenant({ internal: true, subscription: 'CANCELED' });
    const { body } = await call('GET /v1/limits', undefined, internal.apiKey);
    expect(body).toMatchObject({
      messages: { limit: null, used: 58, left: null },
      sessions: { limit: null, used: 0, left: null },
    });
  });
});

describe('numbers of the tenant’s own', () => {
  const own = async (numbers: Partial<Entitlements> | undefined): Promise<NewTenant> => {
    const made = await gateway.createTenant({ plan: 'STARTER' });
    Object.assign(gateway.fakes.subscriptions.get(made.tenantId) as object, { entitlements: numbers });
    return made;
  };

  test('are shown with the name of the plan, and bind new sessions', async () => {
    const { apiKey } = await own({ sessions: 2, messages: 5_000, calls: 9 });
    for (const status of [201, 201, 429]) {
      expect(await call('POST /v1/sessions', { name: 'x' }, apiKey)).toMatchObject({ status });
    }
    expect((await call('GET /v1/limits', undefined, apiKey)).body).toMatchObject({
      plan: 'STARTER',
      messages: { limit: 5_000, used: 58, left: 4_942 },
      llmCalls: { limit: 9, used: 7, left: 2 },
      sessions: { limit: 2, used: 2, left: 0 },
    });
    expect((await call('GET /v1/subscription', undefined, apiKey)).body).toEqual({
      ...{ plan: 'STARTER', status: 'ACTIVE', active: true, keeper: 'operator' },
    });
  });

  test('go with each question to limits, which knows no plans', async () => {
    const { tenantId, apiKey } = await own({ messages: 5_000 });
    const { id: sessionId } = gateway.fakes.addSession(tenantId);
    const body = { sessionId, to: '+15550001111', text: 'x' };
    expect(await call('POST /v1/messages', body, apiKey)).toMatchObject({ status: 200 });
    expect(gateway.fakes.questions.at(-1)).toMatchObject({ tenantId, caps: { messages: 5_000, calls: 500 } });
  });
});

test('the warmup of a session is shown with what is missing for the next tier', async () => {
  const sessionId = session();
  expect((await call(`GET /v1/sessions/${sessionId}/warmup`)).body).toEqual({ sessionId, ...WARMUP });
  expect(await call(`GET /v1/sessions/${randomUUID()}/warmup`)).toMatchObject({ status: 404 });
});

describe('a send says in header fields what is left', () => {
  test.each([true, false])('accepted: %s', async (accepted) => {
    if (!accepted) {
      gateway.fakes.refusal = { layer: 'plan', limit: 1, used: 1, resetAt, retryAfterSeconds: 3_600 };
    }
    const { status, headers } = await send({ sessionId: session(), text: 'x' });
    expect(status).toBe(accepted ? 200 : 429);
    expect(headers.get('ratelimit-policy')).toBe('"session";q=250;w=86400, "plan";q=10000;w=86400');
    expect(headers.get('ratelimit')).toBe('"session";r=208;t=3600, "plan";r=9942;t=3600');
    expect(headers.get('retry-after')).toBe(accepted ? null : '3600');
  });
});

describe('a dry run', () => {
  const dryRun = (body: object): Promise<Answer> => send({ dryRun: true, ...body });

  test('of a send that would go says so, and neither counts nor keeps nor sends', async () => {
    const sessionId = session();
    const answer = await dryRun({ sessionId, text: 'x', clientMessageId: 'rehearsed' });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      ...{ status: 'DRY_RUN', wouldSend: true, sessionId, to: '15550001111@s.whatsapp.net' },
      ...{ duplicateOf: null, refusal: null },
    });
    expect(gateway.fakes.asked).not.toContain(Reserve.subject);
    expect(await messagesOf(sessionId)).toEqual([]);
    expect(await gateway.commandsOf(sessionId)).toEqual([]);
    expect(await send({ sessionId, text: 'x', clientMessageId: 'rehearsed' })).toMatchObject({ status: 200 });
  });

  test.each([
    ['session', { sessionUsed: 250, planUsed: 10_000 }, { limit: 250, used: 250 }, 'warmup tier'],
    [
      'plan',
      { planUsed: 10_000 },
      { limit: 10_000, used: 10_000 },
      'of the plan for today are used up: it allows 10000 a day',
    ],
  ])('says that the %s cap is used up, and until when', async (layer, used, counts, words) => {
    Object.assign(gateway.fakes, used);
    const { status, body } = await dryRun({ sessionId: session(), text: 'x' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      wouldSend: false,
      refusal: {
        ...{ status: 429, code: 'RATE_LIMITED', message: expect.stringContaining(words) },
        ...{ meta: { layer, resetAt, ...counts }, retryAt: resetAt },
      },
    });
  });

  test('says that the session is down', async () => {
    const { body } = await dryRun({ sessionId: session('DISCONNECTED'), text: 'x' });
    expect(body).toMatchObject({
      wouldSend: false,
      refusal: { status: 400, code: 'SESSION_NOT_CONNECTED', retryAt: null },
    });
  });

  test('names the job that has the clientMessageId already', async () => {
    const sessionId = session();
    const first = await send({ sessionId, text: 'x', clientMessageId: 'taken' });
    const { body } = await dryRun({ sessionId, text: 'x', clientMessageId: 'taken' });
    expect(body).toMatchObject({ wouldSend: false, duplicateOf: first.body['jobId'], refusal: null });
  });

  test('of a request that is wrong is refused like the request', async () => {
    const sessionId = session();
    expect(await dryRun({ sessionId, text: 'x', to: 'nobody' })).toMatchObject({ status: 400 });
    expect(await dryRun({ sessionId })).toMatchObject({ status: 400 });
    expect(await dryRun({ sessionId: randomUUID(), text: 'x' })).toMatchObject({ status: 404 });
    const unpaid = await gateway.createTenant({ subscription: 'UNPAID' });
    const body = { sessionId, to: '+15550001111', text: 'x', dryRun: true };
    expect(await call('POST /v1/messages', body, unpaid.apiKey)).toMatchObject({ status: 402 });
  });
});

describe('a unit that is good no longer', () => {
  test.each(['late', undefined])(
    'writes nothing and may be asked for again (clientMessageId: %s)',
    async (id) => {
      const sessionId = session();
      gateway.fakes.goodForMs = -1_000;
      const body = { sessionId, text: 'x', ...(id && { clientMessageId: id }) };
      expect(await send(body)).toMatchObject({ status: 504, body: { code: 'UPSTREAM_TIMEOUT' } });
      expect(await messagesOf(sessionId)).toEqual([]);
      gateway.fakes.goodForMs = 30_000;
      expect(await send(body)).toMatchObject({ status: 200 });
      expect(await messagesOf(sessionId)).toHaveLength(1);
    },
  );

  test('is known to limits by the messages that there are', async () => {
    const { body } = await send({ sessionId: session(), text: 'x' });
    const jobId = body['jobId'] as string;
    const { rpc } = gateway.service;
    const found = await rpc.request(FindMessages, { jobIds: [randomUUID(), jobId, randomUUID()] });
    expect(found).toEqual({ jobIds: [jobId] });
  });
});

describe('the sessions of a plan', () => {
  test.each([
    ['STARTER', 1],
    ['GROWTH', 5],
    ['ENTERPRISE', 20],
  ] as const)('of %s are %i; one more is 429 until a place is free', async (plan, most) => {
    const { tenantId, apiKey } = await gateway.createTenant({ plan });
    for (let n = 0; n < most; n += 1) gateway.fakes.addSession(tenantId);
    const answer = await call('POST /v1/sessions', { name: 'one more' }, apiKey);
    expect(answer).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', meta: { layer: 'plan', limit: most, used: most, resetAt } },
    });
    expect(answer.headers.get('retry-after')).toBe('3600');
    const [last] = [...gateway.fakes.sessions.values()].filter((one) => one.tenantId === tenantId);
    gateway.fakes.sessions.delete(last!.state.id);
    expect(await call('POST /v1/sessions', { name: 'another' }, apiKey)).toMatchObject({ status: 201 });
  });

  test('of the internal tenant are as many as it likes', async () => {
    const { tenantId, apiKey } = await gateway.createTenant({ plan: 'STARTER', internal: true });
    gateway.fakes.addSession(tenantId);
    expect(await call('POST /v1/sessions', { name: 'second' }, apiKey)).toMatchObject({ status: 201 });
    expect(gateway.fakes.asked).toContain(CreateSession.subject);
  });
});
