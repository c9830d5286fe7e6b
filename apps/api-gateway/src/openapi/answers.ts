import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiParam,
  ApiProperty,
  ApiResponse,
  type ApiResponseOptions,
  getSchemaPath,
} from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode, HttpErrorBody } from '@svc/contracts';
import { errorExamples } from './examples.js';

/** Errors that every route under `/v1` may answer. */
const EVERYWHERE: ErrorCode[] = [
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'TENANT_SUSPENDED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
];
/** Those that need a key to be answered. */
const OF_KEYS: ErrorCode[] = ['UNAUTHENTICATED', 'FORBIDDEN', 'TENANT_SUSPENDED'];
const RETRY_AFTER = {
  'Retry-After': {
    description: 'Whole seconds to wait.',
    schema: { type: 'integer' as const, minimum: 1 },
  },
};
/** Headers of a send about the daily limits, of an accepted one or one that a limit refused. */
export const RATE_LIMIT_FIELDS = {
  'RateLimit-Policy': {
    description: 'Daily limits of the session and of the plan (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string' as const },
    example: '"session";q=250;w=86400, "plan";q=10000;w=86400',
  },
  RateLimit: {
    description: 'What is left of each, and in how many seconds the day ends.',
    schema: { type: 'string' as const },
    example: '"session";r=208;t=3600, "plan";r=9958;t=3600',
  },
};
/** Headers of an error besides the one of every answer. */
const HEADERS: Record<number, ApiResponseOptions['headers']> = { 429: RETRY_AFTER, 503: RETRY_AFTER };
/** Key of a response under which its error codes stand, for programs. */
export const ERROR_CODES = 'x-error-codes';

/** Describes the answer that `default` stands for: what every route may refuse with has no line of its own on each. */
export const ERRORS_EVERYWHERE = {
  description: `Errors that every route may answer, 400 where what it is sent is not valid, 401 and 403 where it asks for a key, 413 and 415 where it takes a body. ${wordsOf(EVERYWHERE)}`,
  headers: {
    'Retry-After': {
      ...RETRY_AFTER['Retry-After'],
      description: 'Whole seconds to wait, of 429, 503 and 504.',
    },
    'WWW-Authenticate': {
      description: 'The scheme to use, of 401.',
      schema: { type: 'string' as const, enum: ['Bearer'] },
    },
  },
  content: {
    'application/json': {
      schema: { $ref: getSchemaPath(HttpErrorBody) },
      examples: errorExamples(EVERYWHERE),
    },
  },
  [ERROR_CODES]: EVERYWHERE,
};

/** Describes an answer with one of these codes in the words of the catalogue. */
export function wordsOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].summary}`).join(' ');
}

/** Describes the errors of a route that needs no key, as `ApiErrors` does of the others. */
export function ApiPublicErrors(...codes: ErrorCode[]): MethodDecorator {
  return refusals(
    codes,
    EVERYWHERE.filter((code) => !OF_KEYS.includes(code)),
  );
}

/** Documents what a route refuses with besides what every one does, by status, in the words of the error catalogue. */
export function ApiErrors(...codes: ErrorCode[]): MethodDecorator {
  return refusals(codes);
}

/** Documents what a send refuses with: where a limit of the day refuses it, the headers say which. */
export function ApiSendErrors(...codes: ErrorCode[]): MethodDecorator {
  const others = EVERYWHERE.filter((code) => code !== 'RATE_LIMITED');
  const headers = { ...HEADERS, 429: { ...RETRY_AFTER, ...RATE_LIMIT_FIELDS } };
  return refusals([...codes, 'RATE_LIMITED'], others, headers);
}

/**
 * A status that every route may answer has a line of its own where the route has another code of it: then the line has those of every route,
 * too.
 */
function refusals(codes: ErrorCode[], everywhere = EVERYWHERE, headers = HEADERS): MethodDecorator {
  const own = codes.filter((code) => !everywhere.includes(code));
  const statuses = new Set(own.map((code) => ERROR_CATALOGUE[code].status));
  const responses = [...statuses].map((status) => {
    const same = [...new Set([...everywhere, ...codes])].filter(
      (code) => ERROR_CATALOGUE[code].status === status,
    );
    const examples = errorExamples(same);
    return ApiResponse({
      status,
      type: HttpErrorBody,
      description: wordsOf(same),
      ...(Object.keys(examples).length > 0 ? { examples: examples as never } : {}),
      ...(headers[status] ? { headers: headers[status] } : {}),
      ...{ [ERROR_CODES]: same },
    });
  });
  return applyDecorators(...responses) as MethodDecorator;
}

/** Classes of pages by their items: two routes may have the same. */
const PAGES = new Map<Type, Type>();

/** Documents `{items, nextCursor}` of something, and in which order that is. */
export function ApiPage(item: Type, order = 'newest first'): MethodDecorator {
  const page = PAGES.get(item) ?? pageOf(item);
  PAGES.set(item, page);
  return ApiOkResponse({ type: page, description: `One page, ${order}.` }) as MethodDecorator;
}

/** Makes the class of a page, named after the items: `MessageView` has `MessagePage`. */
function pageOf(item: Type): Type {
  const page = class {};
  Object.defineProperty(page, 'name', { value: `${item.name.replace(/View$/, '')}Page` });
  ApiProperty({ type: item, isArray: true, description: 'The page.' })(page.prototype, 'items');
  ApiProperty({
    type: String,
    nullable: true,
    description: 'Give it as `before` to get the next page; null: this is the last.',
  })(page.prototype, 'nextCursor');
  return page;
}

/** Documents an id in the path. */
export function ApiId(name: string, description: string): MethodDecorator {
  return ApiParam({ name, description, schema: { type: 'string', format: 'uuid' } });
}
