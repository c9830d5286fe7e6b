import { expect } from '@jest/globals';
import { ERROR_CATALOGUE, type FieldProblem } from '@svc/contracts';
import type { Answer } from './gateway.js';

/** Expects the error body of the specification, whatever the error. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.body).toEqual({
    code,
    message: expect.any(String),
    requestId: answer.headers.get('x-request-id'),
    meta: expect.any(Object),
  });
  // A refusal by a limit says which one it is, and not what the catalogue says of all.
  if (code === 'RATE_LIMITED') expect(answer.body['message']).not.toBe(ERROR_CATALOGUE[code].summary);
  if (code === 'VALIDATION_FAILED') expect(fieldsOf(answer)).not.toEqual([]);
}

/** Names the fields of a refusal. */
export const fieldsOf = ({ body }: Answer): string[] =>
  ((body['meta'] as { fields?: FieldProblem[] }).fields ?? []).map(({ field }) => field);
