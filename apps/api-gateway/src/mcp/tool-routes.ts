import type { OpenAPIObject } from '@nestjs/swagger';
import type { KeyEnvironment, Scope } from '@svc/contracts';
import { MOST_ITEMS, type Tool } from './tools.js';

type Json = Record<string, unknown>;

/** A tool with what the description of the API says of its route. */
export interface ToolRoute {
  tool: Tool;
  method: 'GET' | 'POST';
  /** Path with its parameters in braces. */
  address: string;
  scope: Exclude<Scope, '*'>;
  environment: KeyEnvironment | undefined;
  /** JSON schema of the arguments. */
  inputSchema: { type: 'object'; properties: Record<string, Json>; required: string[] };
}

interface Operation {
  operationId: string;
  parameters?: Json[];
  requestBody?: { content: Record<string, { schema: Json }> };
  'x-required-scope': ToolRoute['scope'];
  'x-environment'?: KeyEnvironment;
}

/** Keywords of a schema that a model is shown. */
const KEYWORDS = [
  ...['type', 'format', 'enum', 'default', 'minLength', 'maxLength', 'minimum', 'maximum', 'description'],
];

/** Finds the route of each tool in the description, and its arguments. @throws Error where there is none. */
export function toolRoutes(document: OpenAPIObject, tools: readonly Tool[]): ToolRoute[] {
  return tools.map((tool) => routeOf(document, tool));
}

function routeOf(document: OpenAPIObject, tool: Tool): ToolRoute {
  const [address, method, operation] = find(document, tool.operationId);
  const fields = fieldsOf(document, operation);
  const names = [...Object.keys(tool.path ?? {}), ...tool.takes];
  const properties = names.map((name) => {
    const field = fields.get(tool.path?.[name] ?? name);
    if (!field) throw new Error(`${tool.operationId} takes no ${name}.`);
    return [name, name === 'limit' ? { ...field.schema, ...SHORT_PAGE } : field.schema] as const;
  });
  const isRequired = (name: string): boolean =>
    fields.get(tool.path?.[name] ?? name)?.required === true || tool.demands?.includes(name) === true;
  return {
    ...{ tool, method, address },
    ...{ scope: operation['x-required-scope'], environment: operation['x-environment'] },
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: names.filter(isRequired),
    },
  };
}

const SHORT_PAGE = { maximum: MOST_ITEMS, description: `Items per page, 1 to ${MOST_ITEMS}.` };

function find(
  document: OpenAPIObject,
  id: string,
): [address: string, method: ToolRoute['method'], Operation] {
  for (const [address, methods] of Object.entries(document.paths)) {
    for (const [name, method] of [
      ['get', 'GET'],
      ['post', 'POST'],
    ] as const) {
      const operation = methods[name] as unknown as Operation | undefined;
      if (operation?.operationId === id) return [address, method, operation];
    }
  }
  throw new Error(`The description has no operation ${id}.`);
}

interface Field {
  schema: Json;
  required: boolean;
}

/** Collects what a route can be given, by name: parameters of path and query, and fields of the body. */
function fieldsOf(document: OpenAPIObject, { parameters = [], requestBody }: Operation): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const referring of parameters) {
    const { name, required, description, schema } = resolve(document, referring);
    fields.set(String(name), {
      schema: shown({ description, ...(schema as Json) }),
      required: required === true,
    });
  }
  const body = resolve(document, requestBody?.content['application/json']?.schema ?? {});
  for (const [name, referring] of Object.entries((body['properties'] ?? {}) as Record<string, Json>)) {
    const required = ((body['required'] ?? []) as string[]).includes(name);
    fields.set(name, { schema: shown(resolve(document, referring)), required });
  }
  return fields;
}

function shown(schema: Json): Json {
  return Object.fromEntries(
    KEYWORDS.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  );
}

/** Follows the reference that a part of the description is, if it is one. */
function resolve(document: OpenAPIObject, { $ref, ...own }: Json): Json {
  if (typeof $ref !== 'string') return own;
  const [, , kind = '', name = ''] = $ref.split('/');
  const parts = document.components as unknown as Record<string, Record<string, Json>>;
  return { ...parts[kind]?.[name], ...own };
}
