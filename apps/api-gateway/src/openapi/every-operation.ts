import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '@svc/contracts';
import { ERROR_CODES, ERRORS_EVERYWHERE } from './answers.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const REQUEST_ID = {
  description:
    'Names this request: as its own header of that name does, else anew. Quote it when you ask about one. `requestId` of an error body is the same.',
  required: true,
  schema: { type: 'string' as const, maxLength: 128 },
};

type Paths = OpenAPIObject['paths'];
type Operation = NonNullable<Paths[string]['get']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Errors that a caller may meet beside those of a route. */
const OF_NO_ROUTE: ErrorCode[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'];

/** Adds what holds for each operation and stands on none: the request id, refusals of bodies, no unknown fields, no key where none is asked. */
export function completeOperations({ paths, components }: OpenAPIObject): void {
  const operations = operationsIn(paths);
  for (const operation of operations) {
    refuseUnknownIn(operation, components?.schemas ?? {});
    askForKey(operation);
    if (operation.parameters?.length === 0) delete operation.parameters;
    operation.responses.default = structuredClone(ERRORS_EVERYWHERE);
    nameRequest(operation);
  }
  nameCodes(components?.schemas ?? {}, codesIn(operations));
}

function operationsIn(paths: Paths): Operation[] {
  return Object.values(paths).flatMap((path) => METHODS.flatMap((method) => path[method] ?? []));
}

function codesIn(operations: Operation[]): Set<unknown> {
  const responses = operations.flatMap((operation) => Object.values(operation.responses) as object[]);
  return new Set(
    responses.flatMap((response) => (response as { [ERROR_CODES]?: unknown[] })[ERROR_CODES] ?? []),
  );
}

/** Leaves the codes out that only operators and pages meet. */
function nameCodes(schemas: Schemas, met: Set<unknown>): void {
  const { properties: { code } = {} } = schemas['HttpErrorBody'] as {
    properties?: { code?: { enum?: unknown[] } };
  };
  const isMet = (name: ErrorCode): boolean => met.has(name) || OF_NO_ROUTE.includes(name);
  if (code) code.enum = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter(isMet);
}

function refuseUnknownIn(operation: Operation, schemas: Schemas): void {
  if (!operation.requestBody || !('content' in operation.requestBody)) return;
  for (const { schema } of Object.values(operation.requestBody.content)) refuseUnknown(schema, schemas);
}

/** A place that may refer to schemas of objects: its own, or one of several. */
interface Referring {
  $ref?: string;
  allOf?: unknown[];
  anyOf?: unknown[];
  oneOf?: unknown[];
}

/** Forbids unlisted fields in a body and in all objects nested in it. */
function refuseUnknown(referring: unknown, schemas: Schemas): void {
  const { $ref, allOf, anyOf, oneOf } = (referring ?? {}) as Referring;
  for (const part of [allOf, anyOf, oneOf].flat()) if (part) refuseUnknown(part, schemas);
  const schema = schemas[$ref?.split('/').at(-1) ?? ''];
  if (!schema || '$ref' in schema) return;
  schema.additionalProperties = false;
  for (const property of Object.values(schema.properties ?? {})) refuseUnknown(property, schemas);
}

/** The key stands in the description once, for all routes; one that is for everybody says so. */
function askForKey(operation: Operation): void {
  if (operation.security) delete operation.security;
  else operation.security = [];
}

/** Names the request in errors, where their body has the same; that it stands in every answer is said once for all. */
function nameRequest({ responses }: Operation): void {
  for (const [status, response] of Object.entries(responses)) {
    if (status.startsWith('2') || !response || '$ref' in response) continue;
    response.headers = { 'x-request-id': REQUEST_ID, ...response.headers };
  }
}
