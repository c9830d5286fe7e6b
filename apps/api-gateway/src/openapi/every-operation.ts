import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode, HttpErrorBody } from '@svc/contracts';
import { wordsOf } from './answers.js';
import { errorExamples } from './examples.js';

const WITH_BODY = ['post', 'put', 'patch', 'delete'] as const;
/** Refusals of a body before a route sees it. */
const OF_BODIES: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const REQUEST_ID = {
  description:
    'Names this request: as its own header of that name does, else anew. Quote it when you ask about one. `requestId` of an error body is the same.',
  required: true,
  schema: { type: 'string' as const, maxLength: 128 },
};

type Paths = OpenAPIObject['paths'];
type Operation = NonNullable<Paths[string]['get']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Adds what holds for each operation and stands on none: the request id, refusals of bodies, no unknown fields. */
export function completeOperations({ paths, components }: OpenAPIObject): void {
  for (const path of Object.values(paths)) {
    for (const method of WITH_BODY) {
      const operation = path[method];
      if (operation) refuseBodies(operation, components?.schemas ?? {});
    }
    for (const method of ['get', ...WITH_BODY] as const) nameRequest(path[method]);
  }
}

function refuseBodies(operation: Operation, schemas: Schemas): void {
  for (const code of OF_BODIES) {
    operation.responses[ERROR_CATALOGUE[code].status] = {
      description: wordsOf([code]),
      content: {
        'application/json': {
          schema: { $ref: getSchemaPath(HttpErrorBody) },
          examples: errorExamples([code]),
        },
      },
    };
  }
  if (!operation.requestBody || !('content' in operation.requestBody)) return;
  for (const { schema } of Object.values(operation.requestBody.content)) refuseUnknown(schema, schemas);
}

/** Forbids unlisted fields in a body and in all objects nested in it. */
function refuseUnknown(referring: unknown, schemas: Schemas): void {
  const { $ref, allOf } = (referring ?? {}) as { $ref?: string; allOf?: unknown[] };
  for (const each of allOf ?? []) refuseUnknown(each, schemas);
  const schema = schemas[$ref?.split('/').at(-1) ?? ''];
  if (!schema || '$ref' in schema) return;
  schema.additionalProperties = false;
  for (const property of Object.values(schema.properties ?? {})) refuseUnknown(property, schemas);
}

function nameRequest(operation: Operation | undefined): void {
  for (const response of Object.values(operation?.responses ?? {})) {
    if (response && !('$ref' in response))
      response.headers = { 'x-request-id': REQUEST_ID, ...response.headers };
  }
}
