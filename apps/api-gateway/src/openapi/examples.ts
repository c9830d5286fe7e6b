import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CATALOGUE, type ErrorCode } from '@svc/contracts';
import { examplesOf, type Schemas } from './example-values.js';

interface Content {
  schema?: object;
  examples?: Record<string, object>;
}

/** Examples of `meta`, of the codes that have one. */
const META: Partial<Record<ErrorCode, object>> = {
  VALIDATION_FAILED: { fields: [{ field: 'to', rule: 'to is not a phone number' }] },
  FORBIDDEN: { scope: 'messages:send' },
  QUOTA_CONFLICT: { quota: 'endpoints', limit: 50, used: 50 },
  RATE_LIMITED: {
    ...{ layer: 'session', limit: 250, used: 250, resetAt: '2026-02-01T00:00:00.000Z' },
    retryAfterSeconds: 3_600,
  },
};

/** Examples of a message, of a code whose message always says more than the catalogue. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: 'The messages of this session for today are used up: its warmup tier allows 250 a day.',
};

/** Lists the examples of an error answer with one of these codes: of those whose `meta` says more. Each stands in the description once. */
export function errorExamples(codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
  const telling = codes.filter((code) => META[code]);
  return Object.fromEntries(telling.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

/**
 * Gives every body of a request or an answer that has alternatives an example of each. One without is made of the examples of its fields by
 * every tool that shows it, and would only stand in the description twice.
 */
export function addExamples({ paths, components = {} }: OpenAPIObject): void {
  const schemas = components.schemas ?? {};
  components.examples = Object.fromEntries(
    (Object.keys(META) as ErrorCode[]).map((code) => [code, { value: errorBody(code) }]),
  );
  for (const path of Object.values(paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const { requestBody, responses = {} } = path[method] ?? {};
      for (const holder of [requestBody, ...Object.values(responses)]) illustrate(holder, schemas);
    }
  }
}

function illustrate(holder: object | undefined, schemas: Schemas): void {
  const { content = {} } = (holder ?? {}) as { content?: Record<string, Content> };
  for (const [type, one] of Object.entries(content)) {
    if (type !== 'application/json' || !one.schema || one.examples) continue;
    const values = Object.entries(examplesOf(one.schema, schemas));
    if (values.length === 1) continue;
    one.examples = Object.fromEntries(values.map(([name, value]) => [name, { value }]));
  }
}

function errorBody(code: ErrorCode): object {
  return {
    ...{ code, message: MESSAGES[code] ?? ERROR_CATALOGUE[code].summary },
    ...{ requestId: '0198c0de-0000-7000-8000-0000000000e1', meta: META[code] ?? {} },
  };
}
