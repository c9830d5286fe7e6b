import { type ApiDocument, type ApiOperation, apiOperations } from '@svc/testing';

/** A schema, as far as tests look into it. */
export interface Schema {
  description?: string;
  type?: string | string[];
  required?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

/** The OpenAPI description, as far as tests look into it. */
export interface Description {
  openapi: string;
  info: { license?: object };
  security: object[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: NonNullable<ApiDocument['webhooks']>;
  components: ApiDocument['components'] & {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, object>;
  };
}

/** One operation, as it stands in the description. */
export interface Operation {
  operationId: string;
  tags: string[];
  security?: object[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  'x-public'?: boolean;
}

/** Lists all operations, as `post /v1/messages`, with what stands under `components` put in. */
export function operationsOf(document: Description): [string, Operation & ApiOperation][] {
  return apiOperations(document as unknown as ApiDocument).map((operation) => [
    operation.route,
    { ...(document.paths[operation.path]?.[operation.method.toLowerCase()] as Operation), ...operation },
  ]);
}

/** Visits every object of the description, with the path that leads to it. */
export function everyPart(value: unknown, visit: (part: Schema, place: string) => void, place = ''): void {
  if (typeof value !== 'object' || value === null) return;
  visit(value as Schema, place);
  for (const [key, inner] of Object.entries(value)) everyPart(inner, visit, `${place}/${key}`);
}
