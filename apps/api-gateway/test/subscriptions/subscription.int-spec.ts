import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  GetSubscription,
  type SessionState,
  type SubscriptionState,
  TakeProviderEvent,
  type TokenRefusal,
} from '@svc/contracts';
import { waitFor } from '@svc/testing';
import { SubscriptionsService } from '../../src/subscriptions/subscriptions.service.js';
import { TOKENS, USAGE } from '../support/figures.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

afterEach(() => {
  const empty = { days: [], sessions: [] };
  Object.assign(gateway.fakes, { ...USAGE, done: [], sent: empty, sessionUsed: 42 });
  gateway.fakes.billing.llm = empty;
  gateway.fakes.billing.webhooks.length = 0;
});

const call = (route: string, body?: object, key = tenant.apiKey): Promise<Answer> =>
  gateway.call(key, route, body);

describe('what was used in a month', () => {
  test('is put together by day and by session', async () => {
    const [one, two] = [randomUUID(), randomUUID()];
    gateway.fakes.sent = {
      days: [
        { key: '2031-01-02', messages: 5 },
        { key: '2031-01-30', messages: 7 },
      ],
      sessions: [
        { key: one, messages: 2 },
        { key: two, messages: 10 },
      ],
    };
    gateway.fakes.billing.llm = {
      days: [
        { key: '2031-01-01', calls: 1, tokens: 10 },
        { key: '2031-01-30', calls: 2, tokens: 20 },
      ],
      sessions: [{ key: one, calls: 3, tokens: 30 }],
    };
    expect((await call('GET /v1/usage?month=2031-01')).body).toEqual({
      ...{ month: '2031-01', from: '2031-01-01T00:00:00.000Z', to: '2031-02-01T00:00:00.000Z' },
      ...{ messages: 12, llmCalls: 3, tokens: TOKENS },
      days: [
        { day: '2031-01-01', messages: 0, llmCalls: 1, tokens: 10 },
        { day: '2031-01-02', messages: 5, llmCalls: 0, tokens: 0 },
        { day: '2031-01-30', messages: 7, llmCalls: 2, tokens: 20 },
      ],
      sessions: [
        { sessionId: two, messages: 10, llmCalls: 0, tokens: 0 },
        { sessionId: one, messages: 2, llmCalls: 3, tokens: 30 },
      ],
    });
    const { tenantId } = tenant;
    expect(gateway.fakes.done).toEqual([{ tenantId, from: '2031-01-01', to: '2031-02-01' }]);
  });

  test.each(['2031-13', '2031', 'x', '2031-1'])('of month %s is refused, naming it', async (month) => {
    expect(await call(`GET /v1/usage?month=${month}`)).toMatchObject({
      status: 400,
      body: { meta: { fields: [{ field: 'month', rule: 'month must be a month such as 2026-01' }] } },
    });
  });
});

describe('a subscription', () => {
  test('is shown with what it will become, and without what is for the gateway itself', async () => {
    const { tenantId, apiKey } = await gateway.createTenant();
    const state = gateway.fakes.subscriptions.get(tenantId) as SubscriptionState;
    Object.assign(state, { keeper: 'stripe', nextPlan: 'STARTER', nextPlanAt: '2031-02-01T00:00:00.000Z' });
    expect((await call('GET /v1/subscription', undefined, apiKey)).body).toEqual({
      ...{ plan: 'GROWTH', status: 'ACTIVE', active: true, keeper: 'stripe' },
      ...{ nextPlan: 'STARTER', nextPlanAt: '2031-02-01T00:00:00.000Z' },
    });
  });

  test('stands in while billing is away, of the 10,000 tenants that were asked about last', async () => {
    const subscriptions = gateway.service.get(SubscriptionsService);
    const tenantIds = Array.from({ length: 10_001 }, () => randomUUID());
    const state = { plan: 'GROWTH', status: 'ACTIVE', internal: false, active: true } as const;
    for (const tenantId of tenantIds) gateway.fakes.subscriptions.set(tenantId, { tenantId, ...state });
    const [first = '', second = '', third = ''] = tenantIds;
    // Tenants of the tests before may be asked about meanwhile: one more place each.
    const young = tenantIds[100] ?? '';
    for (const tenantId of [first, second, third]) await subscriptions.of(tenantId);
    for (let n = 3; n < 10_000; n += 250) {
      await Promise.all(tenantIds.slice(n, Math.min(n + 250, 10_000)).map((id) => subscriptions.of(id)));
    }
    await subscriptions.of(first); // the second is the oldest from here
    await subscriptions.of(tenantIds[10_000]!);
    await gateway.fakes.without(GetSubscription, async () => {
      for (const id of [first, young, tenantIds[10_000]!]) {
        expect(await subscriptions.of(id)).toMatchObject({ tenantId: id, plan: 'GROWTH' });
      }
      await expect(subscriptions.of(second)).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    });
  });

  test('that is not active is shown, and can be paid for', async () => {
    const { apiKey } = await gateway.createTenant({ subscription: 'CANCELED' });
    expect(await call('GET /v1/subscription', undefined, apiKey)).toMatchObject({
      body: { status: 'CANCELED', active: false },
    });
    expect(await call('POST /v1/subscription/checkout', { plan: 'ENTERPRISE' }, apiKey)).toMatchObject({
      status: 200,
      body: { url: 'https://checkout.example/ENTERPRISE' },
    });
    expect(await call('POST /v1/subscription/portal', undefined, apiKey)).toMatchObject({
      body: { url: 'https://portal.example/1' },
    });
  });

  test('has a portal that takes no body', async () => {
    expect(await call('POST /v1/subscription/portal', { force: true })).toMatchObject({
      status: 400,
      body: { meta: { fields: [{ field: 'force' }] } },
    });
  });

  test('to a plan that there is not is refused, naming the field', async () => {
    expect(await call('POST /v1/subscription/checkout', { plan: 'HUGE' })).toMatchObject({
      status: 400,
      body: { meta: { fields: [{ field: 'plan' }] } },
    });
  });
});

describe('a send of a plan whose tokens are used up', () => {
  const refusal: TokenRefusal = {
    ...{ layer: 'tokens', limit: 5_000_000, used: 5_000_001 },
    ...{ resetAt: '2031-02-01T00:00:00.000Z', retryAfterSeconds: 86_400 },
  };
  const blocked = async (state: Partial<SessionState> = {}) => {
    const { tenantId, apiKey } = await gateway.createTenant();
    Object.assign(gateway.fakes.subscriptions.get(tenantId) as object, { tokenRefusal: refusal });
    const { id: sessionId } = gateway.fakes.addSession(tenantId, state);
    const send = (more: object = {}) =>
      call('POST /v1/messages', { sessionId, to: '+15550001111', text: 'x', ...more }, apiKey);
    return Object.assign(send, {
      limits: () => call(`GET /v1/sessions/${sessionId}/limits`, undefined, apiKey),
      answeredBy: (body: object) => call(`PUT /v1/sessions/${sessionId}/external-config`, body, apiKey),
    });
  };

  test('is known beforehand: nothing is left of the session', async () => {
    const { limits } = await blocked();
    expect((await limits()).body).toMatchObject({ left: 0, session: { left: 208 }, tokens: TOKENS });
  });

  test('is refused until the month ends, and takes nothing of the day', async () => {
    const send = await blocked();
    const reserved = gateway.fakes.reserved.size;
    const answer = await send();
    const { layer, limit, used, resetAt } = refusal;
    expect(answer).toMatchObject({
      status: 429,
      body: {
        ...{ code: 'RATE_LIMITED', meta: { layer, limit, used, resetAt } },
        message: `The tokens of the plan for this month are used up: it includes ${limit}.`,
      },
    });
    expect(answer.headers.get('retry-after')).toBe('86400');
    expect(gateway.fakes.reserved.size).toBe(reserved);
  });

  test('is refused by the layers before it first', async () => {
    const send = await blocked();
    gateway.fakes.sessionUsed = 250;
    const answer = await send();
    expect(answer.body).toMatchObject({ meta: { layer: 'session' } });
    expect(answer.headers.get('retry-after')).toBe('3600');
  });

  test('is seen by a dry run', async () => {
    const send = await blocked();
    expect((await send({ dryRun: true })).body).toMatchObject({
      wouldSend: false,
      refusal: { code: 'RATE_LIMITED', meta: { layer: 'tokens' }, retryAt: refusal.resetAt },
    });
  });

  test('goes out in external mode, in which no tokens are used', async () => {
    const send = await blocked({ botMode: 'EXTERNAL' });
    expect((await send.limits()).body).toMatchObject({ left: 208 });
    expect((await send({ dryRun: true })).body).toMatchObject({ wouldSend: true });
    expect(await send()).toMatchObject({ status: 200, body: { status: 'QUEUED' } });
  });

  test('goes out, or is refused, from the moment on at which the mode has changed', async () => {
    const send = await blocked();
    expect((await send()).status).toBe(429);
    await send.answeredBy({ enabled: true, webhookUrl: 'https://example.com/bot' });
    expect((await send()).status).toBe(200);
    await send.answeredBy({ enabled: false });
    expect((await send()).status).toBe(429);
  });
});

describe('a message whose time comes after the tokens of the plan are used up', () => {
  const HOUR_MS = 3_600_000;
  const inAnHour = (): string => new Date(Date.now() + HOUR_MS).toISOString();
  /** Has a message accepted, uses up the tokens, and moves the tenant's clock to its time. */
  const due = async (change: Partial<SessionState> = {}) => {
    const { tenantId, apiKey } = await gateway.createTenant({ plan: 'STARTER' });
    const session = gateway.fakes.addSession(tenantId);
    const send = (more: object = {}): Promise<Answer> =>
      call('POST /v1/messages', { sessionId: session.id, to: '+15550001111', text: 'x', ...more }, apiKey);
    const accepted = await send({ sendAt: inAnHour() });
    expect(accepted).toMatchObject({ status: 200 });
    gateway.fakes.billing.useTokens(tenantId, 5_000_000);
    gateway.invalidatePermissions();
    Object.assign(session, change);
    const status = (await send()).status;
    await gateway.service.database.query(
      'INSERT INTO public.svc_clock (tenant_id, offset_ms) VALUES ($1, $2)',
      [tenantId, HOUR_MS],
    );
    const jobId = accepted.body['jobId'] as string;
    const read = async () => (await call(`GET /v1/messages/${jobId}`, undefined, apiKey)).body;
    return { jobId, status, read, commands: () => gateway.commandsOf(session.id) };
  };

  test('fails where a send of that moment is refused, and takes nothing of the day', async () => {
    const { jobId, status, read, commands } = await due();
    expect(status).toBe(429);
    await waitFor('its failure', async () => (await read())['status'] === 'FAILED');
    // The worker's words name the layer.
    expect(await read()).toMatchObject({ failure: { code: 'RATE_LIMITED', message: 'tokens' } });
    expect(gateway.fakes.reserved.has(jobId)).toBe(false);
    expect(await commands()).toEqual([]);
  });

  test('goes out where its own bot answers its session by then: that uses no tokens', async () => {
    const { jobId, status, commands } = await due({ botMode: 'EXTERNAL' });
    expect(status).toBe(200);
    await waitFor('the command', async () => (await commands()).some(({ id }) => id === jobId));
    expect(gateway.fakes.reserved.get(jobId)).toBe(1);
  });
});

describe('a webhook of the payment provider', () => {
  const post = (body: string, headers: Record<string, string>): Promise<Answer> =>
    gateway.call(undefined, 'POST /webhooks/stripe', body, headers);

  const seconds = Math.floor(Date.now() / 1000);
  const signed = (digit = 'a') => ({ 'stripe-signature': `t=${seconds},v1=${digit.repeat(64)}` });

  test('goes on byte by byte, with its signature and without a key of ours', async () => {
    const payload = '{ "type":"invoice.paid",  "id":"evt_é\\u00e9" }\n';
    expect(await post(payload, signed())).toMatchObject({
      status: 200,
      body: { isStored: true },
    });
    expect(gateway.fakes.billing.webhooks).toEqual([{ payload, signature: signed()['stripe-signature'] }]);
  });

  test('whose signature does not fit, or is missing, is refused', async () => {
    const old = `t=${seconds - 301},v1=${'0'.repeat(64)}`;
    const headers = [
      signed('f'), // billing finds it wrong
      ...['nonsense', `t=${seconds}`, old, ''].map((text) => ({ 'stripe-signature': text })),
      {} as Record<string, string>,
    ];
    for (const one of headers) {
      expect(await post('{}', one)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', meta: { fields: [{ field: 'stripe-signature' }] } },
      });
    }
    // A request without a signature of this moment costs other services nothing.
    expect(gateway.fakes.billing.webhooks).toHaveLength(1);
  });

  test('is not taken while billing is away, so that the provider tells it again', async () => {
    await gateway.fakes.without(TakeProviderEvent, async () => {
      expect(await post('{}', signed())).toMatchObject({ status: 503 });
    });
  });
});
