import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiParam,
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
const HEADERS: Record<number, ApiResponseOptions['headers']> = {
  401: {
    'WWW-Authenticate': {
      description: 'The scheme to use.',
      schema: { type: 'string', enum: ['Bearer'] },
    },
  },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
  504: RETRY_AFTER,
};

/** Describes an answer with one of these codes in the words of the catalogue. */
export function wordsOf(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].summary}`).join(' ');
}

/** Describes the errors of a route that needs no key, as `ApiErrors` does of the others. */
export function ApiPublicErrors(...codes: ErrorCode[]): MethodDecorator {
  return refusals([...EVERYWHERE.filter((code) => !OF_KEYS.includes(code)), ...codes]);
}

/** Documents what a route refuses with, by status, in the words of the error catalogue. */
export function ApiErrors(...codes: ErrorCode[]): MethodDecorator {
  return refusals([...EVERYWHERE, ...codes]);
}

function refusals(codes: ErrorCode[]): MethodDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, same]) =>
    ApiResponse({
      status,
      type: HttpErrorBody,
      description: wordsOf(same),
      examples: errorExamples(same) as never,
      ...(HEADERS[status] ? { headers: HEADERS[status] } : {}),
    }),
  );
  return applyDecorators(...responses) as MethodDecorator;
}

/** Documents `{items, nextCursor}` of something, and in which order that is. */
export function ApiPage(item: Type, order = 'newest first'): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(item),
    ApiOkResponse({
      description: 'One page.',
      schema: {
        type: 'object',
        required: ['items', 'nextCursor'],
        properties: {
          items: {
            type: 'array',
            items: { $ref: getSchemaPath(item) },
            description: `The page, ${order}.`,
          },
          nextCursor: {
            type: 'string',
            nullable: true,
            description: 'Give it as `before` to get the next page; null: this is the last.',
          },
        },
      },
    }),
  ) as MethodDecorator;
}

/** Documents an id in the path. */
export function ApiId(name: string, description: string): MethodDecorator {
  return ApiParam({ name, description, schema: { type: 'string', format: 'uuid' } });
}
