import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RpcClient } from '@svc/messaging';
import {
  boundEndpointCases,
  endMessageCases,
  limitsCases,
  sessionCases,
  type SessionWorld,
  startTestNats,
  subscriptionCases,
  type TestNats,
  webhookCases,
  wholeTenantInBillingCases,
  wholeTenantInLimitsCases,
  wholeTenantInSessionsCases,
  wholeTenantInWebhooksCases,
} from '@svc/testing';
import { FakeServices } from './fake-services.js';

let nats: TestNats;
let fakes: FakeServices;
let world: SessionWorld;

beforeAll(async () => {
  nats = await startTestNats();
  fakes = await FakeServices.start(nats.url);
  fakes.countsOlder = true;
  const tenantId = randomUUID();
  const { id: sessionId } = fakes.addSession(tenantId);
  world = { rpc: RpcClient.at(nats.url, 'test'), linked: { tenantId, sessionId } };
});
afterAll(async () => {
  await world.rpc.onApplicationShutdown();
  await fakes.stop();
  await nats.stop();
});

// Each service runs the same cases against itself (test/**/contract-cases.int-spec.ts): the fakes answer as it does.
describe('the fake of', () => {
  test.each(webhookCases)('webhook-dispatcher: $name', ({ run }) => run(world));
  test.each(boundEndpointCases)('webhook-dispatcher, bound endpoints: $name', ({ run }) => run(world));
  test.each(wholeTenantInWebhooksCases)('webhook-dispatcher: $name', ({ run }) => run(world));
  test.each(sessionCases)('session-worker: $name', ({ run }) => run(world));
  test.each([...endMessageCases, ...wholeTenantInSessionsCases])('session-worker: $name', ({ run }) =>
    run(world),
  );
  test.each([...limitsCases, ...wholeTenantInLimitsCases])('limits: $name', ({ run }) => run(world));
  test.each([...subscriptionCases, ...wholeTenantInBillingCases])('billing: $name', ({ run }) => run(world));
});

test('each request that is played here is answered in one of these cases, not only refused', () => {
  expect(fakes.played.filter((subject) => !fakes.answered.has(subject))).toEqual([]);
});
