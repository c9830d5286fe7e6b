import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Refusal } from '../../http/refusal.js';
import { Disconnect } from '../accounts/account-bodies.js';
import { PlaceCall } from '../calls/call-bodies.js';
import { FaultsChange } from '../faults/fault-bodies.js';
import { LinkingChange } from '../linking/linking-bodies.js';
import { WriteMessage } from '../messages/message-bodies.js';
import { StartTyping } from '../contacts/presence-bodies.js';
import { fieldProblems } from '../../http/refusals.js';
import { RawStanza, Rubbish } from '../wire/wire-bodies.js';

/** Body of a step that has none of its own. */
class EmptyBody {}

/** The bodies of the actions: each takes that of the request of its name. */
const BODIES = {
  write: WriteMessage,
  typing: StartTyping,
  call: PlaceCall,
  linking: LinkingChange,
  disconnect: Disconnect,
  faults: FaultsChange,
  'clear-faults': EmptyBody,
  rubbish: Rubbish,
  stanza: RawStanza,
} satisfies Record<string, ClassConstructor<object>>;

export type StepAction = keyof typeof BODIES;
export const STEP_ACTIONS = Object.keys(BODIES) as StepAction[];

export type BodyOf<Action extends StepAction> = InstanceType<(typeof BODIES)[Action]>;

/** Reads the body of a step, refused under the same conditions as that of the request. */
export function readBody(action: StepAction, json: Record<string, unknown> = {}): object {
  const body = plainToInstance(BODIES[action] as ClassConstructor<object>, json);
  const errors = validateSync(body, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  });
  if (errors.length === 0) return body;
  const fields = Object.fromEntries(errors.flatMap((error) => fieldProblems(error, 'body.')));
  throw new Refusal(400, 'VALIDATION_FAILED', Object.values(fields).flat().join('; '), { fields });
}

/** Writes the number of a repetition into the text of a body. */
export const numbered = (json: Record<string, unknown> = {}, n: number): Record<string, unknown> =>
  typeof json.text === 'string' ? { ...json, text: json.text.replaceAll('{n}', String(n)) } : json;
