import { getSchemaPath } from '@nestjs/swagger';
import { PUBLIC_EVENT_CONTRACTS, type PublicEventContract } from '@svc/contracts';
import { RESTRICTED_FIELDS } from '../auth/restricted-fields.js';
import type { Schemas } from './example-values.js';

/**
 * Splits the schema of a logged event by its name, as `splitMessageBody` does with a body: one class serves all of them, and readers are
 * told which payload comes with which name, as they are of the webhooks.
 */
export function splitLoggedEvent(schemas: Schemas): void {
  const flat = schemas['LoggedEvent'];
  if (!flat || '$ref' in flat) throw new Error('The description has no LoggedEvent.');
  const { payload: _, event: __, ...common } = flat.properties ?? {};
  schemas['LoggedEventHead'] = { type: 'object', required: Object.keys(common), properties: common };
  for (const contract of PUBLIC_EVENT_CONTRACTS) {
    const own = {
      event: { type: 'string', const: contract.name, description: 'Event name.' },
      payload: { $ref: getSchemaPath(payloadOf(contract, schemas)), description: 'Event data.' },
    };
    schemas[nameOf(contract)] = {
      allOf: [
        { $ref: getSchemaPath('LoggedEventHead') },
        { type: 'object', required: Object.keys(own), properties: own as Schemas },
      ],
    };
  }
  const mapping = PUBLIC_EVENT_CONTRACTS.map((contract) => [contract.name, getSchemaPath(nameOf(contract))]);
  schemas['LoggedEvent'] = {
    description:
      'Event of the log: check `event` before `payload`, which is that of the webhook. One of a name that is not listed has the same fields.',
    oneOf: mapping.map(([, $ref = '']) => ({ $ref })),
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(mapping) as Record<string, string> },
  };
}

/** Names the schema of a payload in the log: that of the webhook, but where some keys do not see all of it. */
function payloadOf(contract: PublicEventContract, schemas: Schemas): string {
  const restricted = RESTRICTED_FIELDS[contract.name];
  const whole = schemas[contract.data.name];
  if (!restricted || !whole || '$ref' in whole) return contract.data.name;
  const name = `${nameOf(contract)}Payload`;
  const rules = Object.entries(restricted).map(
    ([field, scope]) => `Only keys with \`${scope}\` see \`${field}\`.`,
  );
  schemas[name] = {
    ...whole,
    description: rules.join(' '),
    required: (whole.required ?? []).filter((field) => !(field in restricted)),
  };
  return name;
}

/** Names the schema of an event: `message.poll_vote` is `LoggedMessagePollVote`. */
function nameOf({ name }: PublicEventContract): string {
  const words = name.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `Logged${words.join('')}`;
}
