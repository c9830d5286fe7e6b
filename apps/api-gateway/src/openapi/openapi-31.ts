import type { OpenAPIObject } from '@nestjs/swagger';

type Json = Record<string, unknown>;

/**
 * Turns a document into OpenAPI 3.1: the decorators speak OpenAPI 3.0. The one difference that matters here: 3.1 has no `nullable`, a value
 * that may be null says so in its type.
 */
export function asOpenApi31(document: OpenAPIObject): OpenAPIObject {
  return convert(document) as OpenAPIObject;
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const converted: Json = {};
  for (const [key, entry] of Object.entries(value)) converted[key] = convert(entry);
  return converted['nullable'] === true ? withNull(converted) : converted;
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
