import { randomUUID } from 'node:crypto';
import { CreateSubscription, LLM_CALL_MAX, LlmCalled, type LlmCalledV1, type Plan } from '@svc/contracts';
import { envelopeOf } from '@svc/messaging';
import { type TestService, waitFor } from '@svc/testing';

/** Makes a tenant with a subscription that the operator keeps. */
export async function aTenant(
  billing: TestService,
  plan: Plan = 'ENTERPRISE',
  internal = false,
): Promise<string> {
  const tenantId = randomUUID();
  await billing.rpc.request(CreateSubscription, { tenantId, plan, status: 'ACTIVE', internal });
  return tenantId;
}

/** Publishes a call of a language model; `id` names it, where it is published again. */
export async function call(
  billing: TestService,
  tenantId: string,
  tokens: number,
  { id = randomUUID(), ...more }: Partial<LlmCalledV1> & { id?: string } = {},
): Promise<void> {
  const data = { sessionId: randomUUID(), source: 'assistant', tokens, timestamp: now(), ...more };
  const { jetstream } = billing.messaging;
  const envelope = envelopeOf(LlmCalled, { tenantId, id }, data);
  // The publication has no message id: JetStream stores the repeat, as it does two minutes later.
  await jetstream.publish(`evt.0.${LlmCalled.name}`, JSON.stringify(envelope));
}

/** Publishes calls for so many tokens, of a size that there is. */
export async function use(
  billing: TestService,
  tenantId: string,
  tokens: number,
  more: Partial<LlmCalledV1> = {},
): Promise<void> {
  const whole = Math.floor(tokens / LLM_CALL_MAX);
  const calls = [...Array<number>(whole).fill(LLM_CALL_MAX), tokens % LLM_CALL_MAX].filter(
    (size) => size > 0,
  );
  await Promise.all(calls.map((size) => call(billing, tenantId, size, more)));
}

/** Resolves when everything in the stream has been dealt with. */
export async function allEventsProcessed(billing: TestService): Promise<void> {
  const { manager } = billing.messaging;
  await waitFor('every event to be processed', async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info('EVENTS', 'billing');
    return num_pending + num_ack_pending === 0;
  });
}

const now = (): string => new Date().toISOString();
