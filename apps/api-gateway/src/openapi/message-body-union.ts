import type { OpenAPIObject } from '@nestjs/swagger';
import { MESSAGE_BODY_FIELDS, MESSAGE_BODY_TYPES, type MessageBodyType } from '@svc/contracts';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * Splits the schema of a body by kind: the class has the fields of all kinds of content, so that one validator serves it. For readers it is
 * what the specification says: a union, discriminated by `type`, each kind with its own fields.
 */
export function splitMessageBody(schemas: Schemas): void {
  const flat = schemas['MessageBody'];
  if (!flat || '$ref' in flat) throw new Error('The description has no MessageBody.');
  const { properties = {} } = flat;
  for (const kind of MESSAGE_BODY_TYPES) schemas[nameOf(kind)] = schemaOf(kind, properties);
  const mapping = Object.fromEntries(MESSAGE_BODY_TYPES.map((kind) => [kind, refOf(nameOf(kind))]));
  schemas['MessageBody'] = {
    description: 'Content of a message. Check `type` before any other field.',
    oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping },
  };
}

function schemaOf(kind: MessageBodyType, properties: Schemas): Schemas[string] {
  const { required, optional } = MESSAGE_BODY_FIELDS[kind];
  const own = [...required, ...optional].map((field) => [field, properties[field]]);
  const type = { type: 'string', const: kind, description: 'Kind of content.' };
  return {
    type: 'object',
    required: ['type', ...required],
    properties: { type, ...(Object.fromEntries(own) as Schemas) },
  };
}

/** Names the schema of a kind: `view_once` is `MessageBodyViewOnce`. */
function nameOf(kind: MessageBodyType): string {
  const words = kind.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `MessageBody${words.join('')}`;
}

function refOf(name: string): string {
  return `#/components/schemas/${name}`;
}
