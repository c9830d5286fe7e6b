import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  CountSessions,
  type Entitlements,
  GetLimits,
  type NewTenant,
  Reserve,
  type SubscriptionState,
} from '@svc/contracts';
import { USAGE } from '../support/figures.js';
import { type Answer, gateway, withGateway } from '../support/gateway.js';

withGateway();
beforeAll(() => void (gateway.fakes.countsOlder = true));
afterAll(() => void (gateway.fakes.countsOlder = false));

let own: NewTenant;
/** Sessions in order of creation: more than the plan of the tenant has room for since it was lowered. */
let ids: string[];
beforeEach(async () => {
  own = await gateway.createTenant({ plan: 'GROWTH' });
  ids = Array.from({ length: 7 }, () => gateway.fakes.addSession(own.tenantId).id);
  gateway.fakes.asked = [];
});

const call = (route: string, body?: object): Promise<Answer> => gateway.call(own.apiKey, route, body);
const send = (sessionId: string, more: object = {}): Promise<Answer> =>
  call('POST /v1/messages', { sessionId, to: '+15550001111', text: 'x', ...more });
const subscribe = (change: Partial<SubscriptionState>): void => {
  const { subscriptions } = gateway.fakes;
  subscriptions.set(own.tenantId, { ...(subscriptions.get(own.tenantId) as SubscriptionState), ...change });
  gateway.invalidatePermissions();
};
const [FIFTH, SIXTH, SEVENTH] = [4, 5, 6];
const { resetAt } = USAGE;
const READ_ONLY = {
  status: 429,
  body: {
    code: 'RATE_LIMITED',
    message:
      'This session is read-only: the plan has room for 5, and older sessions have it. Waiting does not help, whatever Retry-After says: delete a session, or take a larger plan.',
    meta: { layer: 'plan', resource: 'sessions', limit: 5, used: 7, resetAt },
  },
};

describe('a session that the plan has no room for', () => {
  test('sends nothing; the oldest ones send, and are not asked for anything more', async () => {
    expect(await send(ids[FIFTH]!)).toMatchObject({ status: 200 });
    expect(gateway.fakes.asked).not.toContain(CountSessions.subject);
    expect(gateway.fakes.asked).not.toContain(GetLimits.subject);
    gateway.fakes.asked = [];
    for (const id of [ids[SIXTH]!, ids[SEVENTH]!]) {
      const refused = await send(id);
      expect(refused).toMatchObject(READ_ONLY);
      expect(refused.headers.get('retry-after')).toBe('3600');
      expect(await gateway.commandsOf(id)).toEqual([]);
    }
    expect(gateway.fakes.asked).not.toContain(Reserve.subject);
  });

  test('says so to a dry run', async () => {
    const { status, body } = await send(ids[SIXTH]!, { dryRun: true });
    expect(status).toBe(200);
    const { code, message, meta } = READ_ONLY.body;
    expect(body).toMatchObject({
      wouldSend: false,
      refusal: { status: 429, code, message, meta, retryAt: null },
    });
    expect((await send(ids[FIFTH]!, { dryRun: true })).body).toMatchObject({ wouldSend: true });
  });

  test('is refused after a session that is down, and answers what it accepted before', async () => {
    const { id } = gateway.fakes.addSession(own.tenantId, { status: 'DISCONNECTED' });
    expect(await send(id)).toMatchObject({ status: 400, body: { code: 'SESSION_NOT_CONNECTED' } });
    subscribe({ plan: 'ENTERPRISE' });
    const first = await send(ids[SIXTH]!, { clientMessageId: 'before' });
    expect(first.status).toBe(200);
    subscribe({ plan: 'GROWTH' });
    const again = await send(ids[SIXTH]!, { clientMessageId: 'before' });
    expect(again).toMatchObject({ status: 200, body: { jobId: first.body['jobId'] } });
  });

  test('is not connected, and can be read, disconnected and deleted', async () => {
    const path = `/v1/sessions/${ids[SIXTH]!}`;
    gateway.fakes.sessions.get(ids[SIXTH]!)!.state.phone = null;
    expect(await call(`POST ${path}/connect`)).toMatchObject(READ_ONLY);
    expect(await call(`POST ${path}/pairing-code`, { phone: '+4915112345678' })).toMatchObject(READ_ONLY);
    expect(await call(`POST /v1/sessions/${ids[FIFTH]!}/connect`)).toMatchObject({ status: 200 });
    expect((await call(`GET ${path}`)).status).toBe(200);
    expect((await call(`POST ${path}/disconnect`)).status).toBe(200);
    expect((await call(`DELETE ${path}`)).status).toBe(204);
  });

  test('is shown as read-only with its limits: nothing may go', async () => {
    const limits = (id: string) => call(`GET /v1/sessions/${id}/limits`);
    expect((await limits(ids[FIFTH]!)).body).toMatchObject({ readOnly: false, left: 208 });
    expect((await limits(ids[SIXTH]!)).body).toMatchObject({
      readOnly: true,
      left: 0,
      session: { left: 208 },
    });
  });

  test('comes back when an older one is deleted', async () => {
    expect((await call(`DELETE /v1/sessions/${ids[0]!}`)).status).toBe(204);
    expect((await send(ids[SIXTH]!)).status).toBe(200);
    expect(await send(ids[SEVENTH]!)).toMatchObject({ status: 429, body: { meta: { used: 6 } } });
  });

  test('comes back with a larger plan, and is none of the internal tenant', async () => {
    subscribe({ plan: 'ENTERPRISE' });
    expect((await send(ids[SEVENTH]!)).status).toBe(200);
    subscribe({ plan: 'STARTER' });
    expect((await send(ids[1]!)).status).toBe(429);
    subscribe({ internal: true });
    expect((await send(ids[SEVENTH]!)).status).toBe(200);
  });

  test('follows the number of sessions that the tenant has of its own', async () => {
    const numbers = (sessions: number) => subscribe({ entitlements: { sessions } as Entitlements });
    numbers(6);
    expect((await send(ids[SIXTH]!)).status).toBe(200);
    expect(await send(ids[SEVENTH]!)).toMatchObject({ status: 429, body: { meta: { limit: 6, used: 7 } } });
    numbers(1);
    expect((await send(ids[0]!)).status).toBe(200);
    expect(await send(ids[1]!)).toMatchObject({ status: 429, body: { meta: { limit: 1, used: 7 } } });
  });
});
