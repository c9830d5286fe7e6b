import { type Actor, expectStatus, linkActors, type NewTenant } from './actor.js';
import type { Stack } from './stack.js';

/** Key with which the assistant of `npm start` asks the stand-in for models. */
export const MODEL_KEY = 'operator';

/** Rule by which the stand-in answers every call. */
export interface AnswerRule {
  /** Text of each answer; `{text}` is what was asked. */
  text: string;
  delayMs: number;
  pieceMs?: number;
}

/** Links so many numbers of a tenant, in the highest warmup tier, and has the assistant answer for each by these settings. */
export function linkAnswering(
  stack: Stack,
  tenant: NewTenant,
  count: number,
  settings: object,
): Promise<Actor[]> {
  return linkActors(stack, tenant, count, (actor) => switchOn(actor, settings));
}

/** Has the stand-in answer whoever calls it with this key by one rule. */
export async function answerBy(stack: Stack, key: string, rule: AnswerRule): Promise<void> {
  await stack.platform('PUT', `/llm/keys/${key}/rules`, { rules: [rule] });
}

async function switchOn(actor: Actor, settings: object): Promise<void> {
  await actor.promote();
  const path = `/v1/sessions/${actor.sessionId}/assistant`;
  expectStatus(await actor.api('PUT', path, { settings }), 200);
  expectStatus(await actor.api('POST', `${path}/publish`), 200);
}
