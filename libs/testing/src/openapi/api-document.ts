/** A JSON Schema, as far as tests look into it. */
export type JsonSchema = { [keyword: string]: unknown } & {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
};

/** Content of a request or an answer. */
export interface ApiContent {
  schema?: JsonSchema;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
  example?: unknown;
}

/** A parameter of the path, the query or the headers. */
export interface ApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

/** Answer that a description announces. */
export interface ApiResponse {
  description: string;
  headers?: Record<string, { required?: boolean; schema?: JsonSchema; example?: string }>;
  content?: Record<string, ApiContent>;
}

/** An operation with its place. */
export interface ApiOperation {
  /** `post /v1/messages`. */
  route: string;
  method: string;
  path: string;
  operationId: string;
  /** Scope of the operation; none: it is for everybody. */
  scope?: string | undefined;
  /** Keys of one environment alone may call it. */
  environment?: 'LIVE' | 'TEST' | undefined;
  parameters: ApiParameter[];
  body?: { required?: boolean; content: Record<string, ApiContent> } | undefined;
  responses: Record<string, ApiResponse>;
}

interface PlainOperation {
  operationId: string;
  parameters?: ApiParameter[];
  requestBody?: ApiOperation['body'];
  responses: Record<string, ApiResponse>;
  'x-required-scope'?: string;
  'x-environment'?: 'LIVE' | 'TEST';
}

/** An OpenAPI description, as far as tests look into it. */
export interface ApiDocument {
  paths: Record<string, Record<string, PlainOperation>>;
  webhooks?: Record<string, { post: PlainOperation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    examples?: Record<string, { value?: unknown }>;
  };
}

/** Lists every operation of a description: tests that walk these need no list of routes. */
export function apiOperations({ paths }: ApiDocument): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      operationId: operation.operationId,
      scope: operation['x-required-scope'],
      environment: operation['x-environment'],
      parameters: operation.parameters ?? [],
      body: operation.requestBody,
      responses: operation.responses,
    })),
  );
}

/** Says whether an operation answers with a stream that ends with its reader. */
export function isStream({ responses }: ApiOperation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined;
}

/** Finds the schema that a reference stands for. */
export function resolveSchema(document: ApiDocument, schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const found = document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`There is no ${schema.$ref}`);
  return resolveSchema(document, found);
}

/** Lists the examples of a content by name, references followed. */
export function contentExamples(document: ApiDocument, { examples = {} }: ApiContent): [string, unknown][] {
  return Object.entries(examples).map(([name, { $ref, value }]) => [
    name,
    $ref === undefined ? value : document.components.examples?.[$ref.split('/').at(-1) ?? '']?.value,
  ]);
}
