import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CreateEndpoint, type DecideToolCallV1, type DraftRef, type PasskeyAssertion } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import {
  type AskedLink,
  assistantCases,
  assistantConversationCases,
  assistantDraftCases,
  assistantKnowledgeCases,
  assistantToolCallCases,
  assistantToolCases,
  assistantToolServerCases,
  boundEndpointCases,
  type DeadLetter,
  deliveryCases,
  type DraftWorld,
  type DeliveryWorld,
  eventLogCases,
  type EventLogWorld,
  endMessageCases,
  limitsCases,
  linkedSessionCases,
  type LinkedWorld,
  passkeyCases,
  type PasskeyWorld,
  paymentCases,
  type PaymentWorld,
  sessionCases,
  startTestNats,
  type ToolCallWorld,
  subscriptionCases,
  type KnowledgeWorld,
  type TestNats,
  webhookCases,
  wholeTenantInAssistantCases,
  wholeTenantInBillingCases,
  wholeTenantInLimitsCases,
  wholeTenantInSessionsCases,
  wholeTenantInWebhooksCases,
} from '@svc/testing';
import { FakeServices } from './fake-services.js';

let nats: TestNats;
let fakes: FakeServices;
let world: DeliveryWorld &
  DraftWorld &
  ToolCallWorld &
  EventLogWorld &
  KnowledgeWorld &
  LinkedWorld &
  PasskeyWorld &
  PaymentWorld;

beforeAll(async () => {
  nats = await startTestNats();
  fakes = await FakeServices.start(nats.url);
  fakes.countsOlder = true;
  const tenantId = randomUUID();
  const { id: sessionId } = fakes.addSession(tenantId);
  world = {
    ...{
      rpc: RpcClient.at({ url: nats.url }, 'test'),
      linked: { tenantId, sessionId },
      deadLetter,
      drafted,
      wanted,
      arrived,
      asked,
    },
    missed: (ref, question) => Promise.resolve(void fakes.assistant.knowledge.ask(ref, [question])),
    numbers: { known: '15550201701', unknown: '15550201700' },
    received: () => Promise.resolve({ messageId: randomUUID(), contact: '1@s.whatsapp.net', keyId: '3EB0' }),
    called: () => Promise.resolve(called()),
    pay: (payer, plan) => Promise.resolve(fakes.billing.pay(payer, plan)),
    useTokens: (user, tokens) => Promise.resolve(fakes.billing.useTokens(user, tokens)),
    signatureOf: () => `t=${Math.floor(Date.now() / 1_000)},v1=${'a'.repeat(64)}`,
  };
});
afterAll(async () => {
  await world.rpc.onApplicationShutdown();
  await fakes.stop();
  await nats.stop();
});

async function deadLetter(): Promise<DeadLetter> {
  const tenantId = randomUUID();
  const request = { tenantId, name: 'CRM', url: 'https://example.com/hooks', events: [] };
  const { endpoint } = await world.rpc.request(CreateEndpoint, request);
  const { deliveryId } = fakes.dispatcher.addDelivery(tenantId, endpoint.id);
  return { tenantId, endpointId: endpoint.id, deliveryId };
}

function drafted(): Promise<DraftRef> {
  const tenantId = randomUUID();
  const { id: draftId } = fakes.assistant.addDraft(tenantId, randomUUID(), 'We open at nine.');
  return Promise.resolve({ tenantId, draftId });
}

function wanted(): Promise<DecideToolCallV1> {
  const tenantId = randomUUID();
  const { id: callId } = fakes.assistant.tools.addCall(tenantId, randomUUID(), { number: '7' });
  return Promise.resolve({ tenantId, callId, actor: 'key:test' });
}

function arrived(contacts: readonly string[]): Promise<{ tenantId: string; ids: string[] }> {
  const tenantId = randomUUID();
  const log = contacts.map((remoteJid) => ({
    ...{ id: randomUUID(), event: 'message.received', createdAt: new Date().toISOString() },
    payload: { sessionId: randomUUID(), remoteJid },
  }));
  fakes.dispatcher.logs.set(tenantId, log);
  return Promise.resolve({ tenantId, ids: log.map(({ id }) => id) });
}

function called(): string {
  const id = randomUUID();
  fakes.ringing.add(id);
  return id;
}

const ASSERTION: PasskeyAssertion = {
  ...{ id: 'cGFzc2tleQ', rawId: 'cGFzc2tleQ', type: 'public-key' },
  response: { clientDataJSON: 'YQ', authenticatorData: 'Yg', signature: 'Yw' },
};

function asked(): Promise<AskedLink> {
  const tenantId = randomUUID();
  const { id: sessionId } = fakes.addSession(tenantId, { status: 'PASSKEY_REQUIRED', phone: null });
  fakes.linking.bring(sessionId, 'challenge');
  return Promise.resolve({
    ref: { tenantId, sessionId },
    assertionFor: () => Promise.resolve(ASSERTION),
    goOn: () => Promise.resolve(fakes.linking.bring(sessionId, 'compare')),
  });
}

// Each service runs the same cases against itself (test/**/contract-cases.int-spec.ts): the fakes answer as it does.
describe('the fake of', () => {
  test.each(webhookCases)('webhook-dispatcher: $name', ({ run }) => run(world));
  test.each(boundEndpointCases)('webhook-dispatcher, bound endpoints: $name', ({ run }) => run(world));
  test.each(deliveryCases)('webhook-dispatcher, deliveries: $name', ({ run }) => run(world));
  test.each(eventLogCases)('webhook-dispatcher, event log: $name', ({ run }) => run(world));
  test.each(wholeTenantInWebhooksCases)('webhook-dispatcher: $name', ({ run }) => run(world));
  test.each([...sessionCases, ...linkedSessionCases])('session-worker: $name', ({ run }) => run(world));
  test.each(passkeyCases)('session-worker, passkeys: $name', ({ run }) => run(world));
  test.each([...endMessageCases, ...wholeTenantInSessionsCases])('session-worker: $name', ({ run }) =>
    run(world),
  );
  test.each([...limitsCases, ...wholeTenantInLimitsCases])('limits: $name', ({ run }) => run(world));
  test.each([...subscriptionCases, ...wholeTenantInBillingCases])('billing: $name', ({ run }) => run(world));
  test.each([...assistantCases, ...assistantConversationCases, ...assistantToolCases])(
    'assistant: $name',
    ({ run }) => run(world),
  );
  test.each(wholeTenantInAssistantCases)('assistant, whole tenants: $name', ({ run }) => run(world));
  test.each(assistantDraftCases)('assistant, drafts: $name', ({ run }) => run(world));
  test.each(assistantToolCallCases)('assistant, tool calls: $name', ({ run }) => run(world));
  test.each(assistantToolServerCases)('assistant, MCP servers: $name', ({ run }) =>
    run({ ...world, mcpUrl: 'https://1.1.1.1/mcp' }),
  );
  test.each(assistantKnowledgeCases)('assistant, knowledge: $name', ({ run }) => run(world));
  test.each(paymentCases)('billing, payments: $name', ({ run }) => run(world));
});

test('each request that is played here is answered in one of these cases, not only refused', () => {
  expect(fakes.played.filter((subject) => !fakes.answered.has(subject))).toEqual([]);
});
