/** A schema, as far as tests look into it. */
export interface Schema {
  description?: string;
  type?: string | string[];
  required?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

/** One operation of the description. */
export interface Operation {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: { $ref: string } }> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, object>; content?: Record<string, { schema: object }> }
  >;
  'x-required-scope'?: string;
  'x-public'?: boolean;
}

/** The OpenAPI description, as far as tests look into it. */
export interface Description {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: { parameters: { name: string }[] } }>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
}

/** Lists all operations, as `post /v1/messages`. */
export function operationsOf({ paths }: Description): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );
}
