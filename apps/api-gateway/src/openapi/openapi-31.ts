import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/** A time as the examples and the words of the contracts have it. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const TIME_WORDS = '(ISO 8601';

/**
 * Turns a document into OpenAPI 3.1: the decorators speak OpenAPI 3.0. Two differences matter here: 3.1 has no `nullable`, a value that may be
 * null says so in its type; and a reference may have words beside it, where 3.0 needs an `allOf` around it, which generators take for an
 * intersection. A text that the contracts show or describe as a time has the format of one.
 */
export function asOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return convert(document) as OpenAPIObject;
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const converted: Json = {};
  for (const [key, entry] of Object.entries(value)) converted[key] = convert(entry);
  const timed = isTime(converted) ? asTime(converted) : converted;
  return timed['nullable'] === true ? withNull(timed) : withoutNeedlessAllOf(timed);
}

function isTime({ type, example, description }: Json): boolean {
  const isShown = typeof example === 'string' && TIME.test(example);
  return (
    [type].flat().includes('string') &&
    (isShown || (typeof description === 'string' && description.includes(TIME_WORDS)))
  );
}

/** The format says what the contracts say in words, who do not show it. */
function asTime({ description, ...schema }: Json): Json {
  const words = typeof description === 'string' ? description.replace(/ \(ISO 8601[^)]*\)/, '') : description;
  return { ...schema, ...(words === undefined ? {} : { description: words }), format: 'date-time' };
}

function withoutNeedlessAllOf({ allOf, ...schema }: Json): Json {
  if (!Array.isArray(allOf)) return schema;
  return allOf.length === 1 ? { ...(allOf[0] as Json), ...schema } : { ...schema, allOf };
}

function withNull({ nullable: _, ...schema }: Json): Json {
  if (typeof schema['type'] === 'string') {
    const options = schema['enum'] as unknown[] | undefined;
    return { ...schema, type: [schema['type'], 'null'], ...(options ? { enum: [...options, null] } : {}) };
  }
  const { $ref, allOf, ...rest } = schema;
  const [first] = (allOf as unknown[] | undefined) ?? [{ $ref }];
  return { ...rest, anyOf: [first, { type: 'null' }] };
}
