import { type Actor, expectStatus } from './actor.js';
import type { Stack } from './stack.js';

/** Key with which the assistant of `npm start` asks the stand-in for models. */
export const MODEL_KEY = 'operator';

/** Switches the assistant of a session on; its number is raised to the highest tier, where answers are split. */
export async function switchOn(actor: Actor, settings: object): Promise<void> {
  await actor.promote();
  await publish(actor, settings);
}

/** Publishes settings of the assistant of a session. */
export async function publish(actor: Actor, settings: object): Promise<void> {
  const path = `/v1/sessions/${actor.sessionId}/assistant`;
  expectStatus(await actor.api('PUT', path, { settings: { mode: 'auto', ...settings } }), 200);
  expectStatus(await actor.api('POST', `${path}/publish`), 200);
}

/** Says how the model answers whoever calls it with this key from now on. */
export async function setRules(stack: Stack, rules: object[], key = MODEL_KEY): Promise<void> {
  await stack.platform('PUT', `/llm/keys/${key}/rules`, { rules });
}
