import { describe, expect, test } from '@jest/globals';
import { AppError } from '../app-error.js';
import type { ErrorEntry } from './error-entry.js';
import { ERROR_CATALOGUE, type ErrorCode } from './errors.js';

const entries = Object.entries(ERROR_CATALOGUE) as [ErrorCode, ErrorEntry][];

describe('the error catalogue', () => {
  test.each([
    ['VALIDATION_FAILED', 400],
    ['SESSION_NOT_CONNECTED', 400],
    ['UNAUTHENTICATED', 401],
    ['PAYMENT_REQUIRED', 402],
    ['FORBIDDEN', 403],
    ['RATE_LIMITED', 429],
  ] as const)('gives %s the status %i that the specification gives it', (code, status) => {
    expect(ERROR_CATALOGUE[code].status).toBe(status);
  });

  test.each(entries)('%s has a name, a status and words that fit together', (code, entry) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.status).toBeLessThan(600);
    expect(entry.summary).toMatch(/^[A-Z].*\.$/);
    expect(entry.remedy).toMatch(/^[A-Z].*\.$/);
    if (code.endsWith('_NOT_FOUND')) expect(entry.status).toBe(404);
    if (code.endsWith('_CONFLICT')) expect(entry.status).toBe(409);
  });

  test.each(entries.filter(([, entry]) => entry.status >= 500))(
    '%s, being our fault, may be tried again',
    (_, entry) => {
      expect(entry.retryable).toBe(true);
      expect(['warn', 'error']).toContain(entry.log);
    },
  );

  test.each(entries.filter(([, entry]) => [401, 402, 403, 404].includes(entry.status)))(
    '%s does not get better by trying again',
    (_, entry) => {
      expect(entry.retryable).toBe(false);
    },
  );

  test('says each thing once', () => {
    const summaries = entries.map(([, entry]) => entry.summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});

describe('an error', () => {
  test('takes words, status and retryability from the catalogue', () => {
    const error = new AppError('SESSION_NOT_CONNECTED');
    expect(error).toMatchObject({
      message: 'The session is not connected to the platform.',
      status: 400,
      retryable: true,
      meta: {},
    });
  });

  test('arrives on the other side of a border as it left, without stack and cause', () => {
    const meta = { layer: 'plan', limit: 1_000 };
    const error = new AppError('RATE_LIMITED', 'Full.', meta, { cause: new Error('SELECT secret') });
    const wire = JSON.stringify(error.toBody());
    expect(JSON.parse(wire)).toEqual({ code: 'RATE_LIMITED', message: 'Full.', meta });
    const arrived = AppError.fromBody(JSON.parse(wire));
    expect(arrived).toBeInstanceOf(AppError);
    expect(arrived).toMatchObject({ code: 'RATE_LIMITED', message: 'Full.', meta, status: 429 });
    expect(arrived.cause).toBeUndefined();
  });

  test.each([
    ['a code of a newer service', { code: 'FROM_THE_FUTURE', message: 'x', meta: {} }],
    ['a name every object has', { code: 'constructor', message: 'x', meta: {} }],
    ['no message', { code: 'FORBIDDEN' }],
    ['a number for a code', { code: 42, message: 'x' }],
    ['text', 'FORBIDDEN'],
    ['nothing', undefined],
    ['null', null],
  ])('that arrives with %s is INTERNAL, without its words', (_, body) => {
    const arrived = AppError.fromBody(body);
    expect(arrived).toMatchObject({
      code: 'INTERNAL',
      status: 500,
      message: 'Something went wrong on our side.',
    });
  });

  test('that arrives without meta has an empty one', () => {
    expect(AppError.fromBody({ code: 'FORBIDDEN', message: 'No.' }).meta).toEqual({});
  });
});
