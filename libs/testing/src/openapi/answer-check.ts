import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import {
  type ApiDocument,
  type ApiOperation,
  type ApiResponse,
  type JsonSchema,
  responseFor,
} from './api-document.js';

/** An answer as it came, its body parsed where it is JSON. */
export interface ApiAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: unknown;
}

const ROOT = 'api';
const FORMATS = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uri: (text: string) => URL.canParse(text),
  binary: true,
} as const;

/** Holds answers and examples against what the description promises. */
export class AnswerCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS });
  private readonly validators = new Map<JsonSchema, ValidateFunction>();

  constructor(private readonly document: ApiDocument) {
    // The values that are listed are those of this gateway: one that is not is missing in the description, though clients take it.
    this.ajv.addKeyword({
      keyword: 'x-extensible-enum',
      validate: (values: unknown[], value: unknown) => value === null || values.includes(value),
    });
    this.ajv.addSchema({ $id: ROOT, components: document.components });
  }

  /** Lists the problems of an answer of an operation, in words; empty: none. */
  problemsOf(operation: ApiOperation, answer: ApiAnswer): string[] {
    const response = responseFor(operation, answer.status);
    if (!response) return [`status ${answer.status} is not described`];
    return [
      ...missingHeaders(response, answer),
      ...unlistedCode(response, answer),
      ...this.bodyProblems(response, answer),
      ...unnamedFields(answer.body),
    ];
  }

  /** Lists the places where a value breaks a schema of the description. */
  breachesOf(schema: JsonSchema, value: unknown): string[] {
    const validate = this.validatorOf(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  }

  private bodyProblems({ content = {} }: ApiResponse, { status, headers, body }: ApiAnswer): string[] {
    const type = headers.get('content-type')?.split(';')[0];
    if (type === undefined && Object.keys(content).length === 0) return [];
    const one = content[type ?? ''] ?? content['*/*'];
    if (!one) return [`content type ${type} is not described for ${status}`];
    return one.schema && type === 'application/json' ? this.breachesOf(one.schema, body) : [];
  }

  private validatorOf(schema: JsonSchema): ValidateFunction {
    const cached = this.validators.get(schema);
    if (cached) return cached;
    const absolute = JSON.stringify(schema).replaceAll('"#/components/', `"${ROOT}#/components/`);
    const made = this.ajv.compile(JSON.parse(absolute) as object);
    this.validators.set(schema, made);
    return made;
  }
}

/** Finds an error whose code is not one of those that are described for its status. */
function unlistedCode({ 'x-error-codes': codes }: ApiResponse, { status, body }: ApiAnswer): string[] {
  const { code } = (body ?? {}) as { code?: unknown };
  // An address that fits no route, such as one with an id without end, is told so whatever route it was meant for.
  return status < 400 || (status === 404 && code === 'NOT_FOUND') || codes?.includes(String(code))
    ? []
    : [`code ${String(code)} is not described for ${status}`];
}

/** Finds a `VALIDATION_FAILED` without field and rule, which its schema cannot demand. JSON may call a field "". */
function unnamedFields(body: unknown): string[] {
  const { code, meta } = (body ?? {}) as { code?: unknown; meta?: { fields?: unknown } };
  if (code !== 'VALIDATION_FAILED') return [];
  const fields = Array.isArray(meta?.fields) ? (meta.fields as Partial<Record<string, unknown>>[]) : [];
  const named = fields.filter(({ field, rule }) => typeof field === 'string' && isText(rule));
  return named.length > 0 && named.length === fields.length
    ? []
    : ['VALIDATION_FAILED names no field and rule'];
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function missingHeaders({ headers = {} }: ApiResponse, answer: ApiAnswer): string[] {
  const required = Object.keys(headers).filter((name) => headers[name]?.required === true);
  // The description says once, for all answers, that they carry the id of the request.
  return [...new Set(['x-request-id', ...required])]
    .filter((name) => answer.headers.get(name) === null)
    .map((name) => `header ${name} is missing`);
}
