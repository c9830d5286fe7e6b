import type { OpenAPIObject } from '@nestjs/swagger';
import { schemasBelow } from './shared-parts.js';

type Json = Record<string, unknown>;

const WORDS = 'More may come.';

/**
 * Opens the enums of answers and events: new values come inside `/v1` (docs/versioning.md), and a client that was generated from a closed
 * enum would break at the first. What a request may say stays closed, and so does a value that stands alone: it tells schemas apart.
 */
export function openEnums({ paths, webhooks, components }: OpenAPIObject & { webhooks?: object }): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Json) as Json[]);
  const schemas = (components?.schemas ?? {}) as Json;
  const closed = schemasBelow(
    operations.map(({ requestBody }) => requestBody),
    schemas,
  );
  const answers = operations.map(({ responses }) => responses);
  const open = schemasBelow([answers, webhooks], schemas);
  for (const name of open) if (!closed.has(name)) openBelow(schemas[name]);
}

function openBelow(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Json;
  if (isEnum(schema)) openOne(schema);
  const { items } = schema as { items?: Json };
  if (items && isEnum(items)) addWords(schema);
  Object.values(schema).forEach(openBelow);
}

function openOne(schema: Json): void {
  const { enum: values } = schema;
  delete schema['enum'];
  schema['x-extensible-enum'] = (values as unknown[]).filter((one) => one !== null);
  addWords(schema);
}

function addWords(schema: Json): void {
  if (typeof schema['description'] === 'string') schema['description'] += ` ${WORDS}`;
}

function isEnum(schema: Json): boolean {
  return Array.isArray(schema['enum']) && schema['enum'].filter((one) => one !== null).length > 1;
}
