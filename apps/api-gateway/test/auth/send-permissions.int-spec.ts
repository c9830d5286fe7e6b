import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import {
  type EventContract,
  GetSession,
  GetSubscription,
  type SessionState,
  type SubscriptionState,
  SendPermissionsChanged,
  SessionDisconnected,
  SubscriptionChanged,
} from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { bootService } from '@svc/service';
import { natsConnectionOf, waitFor } from '@svc/testing';
import { serviceOptions } from '../../src/service-options.js';
import { type Answer, gateway, tenant, withGateway } from '../support/gateway.js';

withGateway();

let session: SessionState;

// The clock stands still, so that no cached answer grows old: only notices end it.
beforeEach(() => {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  session = gateway.fakes.addSession(tenant.tenantId);
  gateway.fakes.asked = [];
});
afterEach(() => {
  jest.restoreAllMocks();
  subscribe({ active: true, status: 'ACTIVE' });
});

const send = (): Promise<Answer> =>
  gateway.call(tenant.apiKey, 'POST /v1/messages', { sessionId: session.id, to: '+15550001111', text: 'x' });
const subscribe = (change: Partial<SubscriptionState>): void => {
  Object.assign(gateway.fakes.subscriptions.get(tenant.tenantId) as SubscriptionState, change);
};
const timesAsked = ({ subject }: { subject: string }): number =>
  gateway.fakes.asked.filter((asked) => asked === subject).length;
const publish = <T extends object>(contract: EventContract<T>, data: T): Promise<number> =>
  gateway.fakes.messaging.publishEvent(envelopeOf(contract, { tenantId: tenant.tenantId }, data));
const becomes = (status: number): Promise<unknown> =>
  waitFor(`a ${status}`, async () => (await send()).status === status);

test('sends of a session ask for it and for its subscription once in a moment', async () => {
  for (let n = 0; n < 3; n += 1) expect((await send()).status).toBe(200);
  expect([timesAsked(GetSubscription), timesAsked(GetSession)]).toEqual([1, 1]);
});

test('a refused send asks anew each time', async () => {
  session.status = 'DISCONNECTED';
  for (let n = 0; n < 3; n += 1) expect((await send()).status).toBe(400);
  expect(timesAsked(GetSession)).toBe(3);
  session.status = 'CONNECTED';
  expect((await send()).status).toBe(200);
});

test('a session that goes down is refused as soon as its event is heard', async () => {
  expect((await send()).status).toBe(200);
  session.status = 'DISCONNECTED';
  expect((await send()).status).toBe(200);
  const timestamp = new Date().toISOString();
  await publish(SessionDisconnected, {
    sessionId: session.id,
    phone: null,
    reason: 'USER_REQUEST',
    timestamp,
  });
  await becomes(400);
});

test('a subscription that ends is refused as soon as its event is heard', async () => {
  expect((await send()).status).toBe(200);
  subscribe({ active: false, status: 'UNPAID' });
  await publish(SubscriptionChanged, {
    ...{ previousPlan: 'GROWTH', plan: 'GROWTH', previousStatus: 'ACTIVE', status: 'UNPAID' },
    ...{ actor: 'operator', timestamp: new Date().toISOString() },
  });
  await becomes(402);
});

test('a session that is disconnected or deleted here is asked for anew at once', async () => {
  expect((await send()).status).toBe(200);
  expect((await gateway.call(tenant.apiKey, `DELETE /v1/sessions/${session.id}`)).status).toBe(204);
  expect((await send()).status).toBe(404);
});

test('a sandbox that moves its clock leaves alone what is known of others', async () => {
  const sandbox = await gateway.sandboxOf(await gateway.createTenant());
  const asksAgain = async (): Promise<boolean> => {
    gateway.fakes.asked = [];
    expect((await send()).status).toBe(200);
    return timesAsked(GetSubscription) + timesAsked(GetSession) > 0;
  };
  // The notices of the tests before come first, however long they take.
  await waitFor('the answers to be cached', async () => !(await asksAgain()));
  const moved = await gateway.call(sandbox.apiKey, 'POST /v1/sandbox/clock', { advanceSeconds: 60 });
  expect(moved.status).toBe(200);
  expect(await asksAgain()).toBe(false);
});

test('a sandbox that moves its clock sends one notice, however many keys it has, and none of them is cached any more', async () => {
  const sandbox = await gateway.sandboxOf(await gateway.createTenant());
  const make = async (): Promise<string> =>
    String((await gateway.call(sandbox.apiKey, 'POST /v1/api-keys', { rotates: null })).body['secret']);
  const keys = await Promise.all([make(), make(), make()]);
  const last = String(keys[0]);
  await gateway.service.database.query(
    `UPDATE gateway.api_key SET expires_at = svc_now(tenant_id) + interval '1 hour' WHERE kid = $1`,
    [last.slice('rk_test_'.length, 'rk_test_'.length + 12)],
  );
  const ask = async (key: string): Promise<number> => (await gateway.call(key, 'GET /v1/sessions')).status;
  expect(await ask(last)).toBe(200);
  const notices: string[] = [];
  gateway.fakes.messaging.onNotice(SendPermissionsChanged, ({ of }) => void notices.push(of));
  await natsConnectionOf(gateway.fakes.messaging).flush();
  await gateway.call(sandbox.apiKey, 'POST /v1/sandbox/clock', { advanceSeconds: 7_200 });
  expect(await ask(last)).toBe(401);
  await waitFor('the notice', () => notices.length > 0);
  await natsConnectionOf(gateway.fakes.messaging).flush();
  expect(notices).toEqual([sandbox.tenantId]);
});

test('a key that is revoked is refused here at once, and by another gateway as soon as that hears of it', async () => {
  const other = await bootService(serviceOptions);
  try {
    const { apiKey } = await gateway.createTenant();
    const made = await gateway.call(apiKey, 'POST /v1/api-keys', { name: 'x', rotates: null });
    const [key, kid] = [String(made.body['secret']), String(made.body['kid'])];
    const headers = { authorization: `Bearer ${key}` };
    const url = `${await other.getUrl()}/v1/api-keys`;
    const statusThere = async (): Promise<number> => (await fetch(url, { headers })).status;
    expect((await gateway.call(key, 'GET /v1/sessions')).status).toBe(200);
    expect(await statusThere()).toBe(200);
    expect((await gateway.call(apiKey, `DELETE /v1/api-keys/${kid}`)).status).toBe(204);
    expect((await gateway.call(key, 'GET /v1/sessions')).status).toBe(401);
    await waitFor('the other gateway to hear', async () => (await statusThere()) === 401);
  } finally {
    await other.close();
  }
});
