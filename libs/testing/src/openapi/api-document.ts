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
  description?: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

/** Answer that a description announces. */
export interface ApiResponse {
  description: string;
  /** Codes of the errors that it may hold. */
  'x-error-codes'?: string[];
  headers?: Record<string, { required?: boolean; schema?: JsonSchema; example?: string }>;
  content?: Record<string, ApiContent>;
}

type Headers = NonNullable<ApiResponse['headers']>;
/** Answer as it stands in a description. */
interface PlainResponse extends Omit<ApiResponse, 'headers'> {
  headers?: Record<string, Shared<Headers[string]>>;
}

/** An operation with its place, and with what stands under `components` put in. */
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

/** A part, or a reference to one that stands under `components`. */
type Shared<T> = T | { $ref: string };

interface PlainOperation {
  operationId: string;
  parameters?: Shared<ApiParameter>[];
  requestBody?: ApiOperation['body'];
  responses: Record<string, Shared<PlainResponse>>;
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
    responses?: Record<string, PlainResponse>;
    headers?: Headers;
    parameters?: Record<string, ApiParameter>;
  };
}

/** Lists every operation of a description: tests that walk these need no list of routes. */
export function apiOperations(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      operationId: operation.operationId,
      scope: operation['x-required-scope'],
      environment: operation['x-environment'],
      parameters: parametersOf(document, operation),
      body: operation.requestBody,
      responses: responsesOf(document, operation),
    })),
  );
}

/** Lists the parameters of an operation, or of a webhook. */
export function parametersOf(
  { components }: ApiDocument,
  { parameters = [] }: Pick<PlainOperation, 'parameters'>,
): ApiParameter[] {
  return parameters.map((one) => resolved(components.parameters, one));
}

function responsesOf({ components }: ApiDocument, { responses }: PlainOperation): ApiOperation['responses'] {
  const entries = Object.entries(responses).map(([status, shared]): [string, ApiResponse] => {
    const { headers = {}, ...response } = resolved(components.responses, shared);
    const whole = Object.entries(headers).map(([name, one]) => [name, resolved(components.headers, one)]);
    return [status, { ...response, headers: Object.fromEntries(whole) as Headers }];
  });
  return Object.fromEntries(entries);
}

/** Finds the answer that is described for a status: `default` stands for all that have no line of their own. */
export function responseFor({ responses }: ApiOperation, status: number): ApiResponse | undefined {
  return responses[status] ?? responses['default'];
}

function resolved<T extends object>(shared: Record<string, T> | undefined, part: Shared<T>): T {
  if (!('$ref' in part)) return part;
  const found = shared?.[part.$ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`There is no ${part.$ref}`);
  return found;
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
