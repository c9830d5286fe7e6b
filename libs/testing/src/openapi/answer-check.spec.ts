import { describe, expect, test } from '@jest/globals';
import type { ApiDocument, ApiOperation } from './api-document.js';
import { AnswerCheck } from './answer-check.js';

const CODES = ['VALIDATION_FAILED', 'SESSION_NOT_CONNECTED'];
const OPERATION = {
  responses: { 400: { content: { 'application/json': {} }, 'x-error-codes': CODES } },
} as unknown as ApiOperation;
const check = new AnswerCheck({ components: {} } as unknown as ApiDocument);
const problemsOf = (body: object): string[] =>
  check.problemsOf(OPERATION, {
    status: 400,
    headers: new Headers({ 'content-type': 'application/json', 'x-request-id': 'one' }),
    body,
  });

describe('an answer with VALIDATION_FAILED', () => {
  const of = (meta: object): string[] => problemsOf({ code: 'VALIDATION_FAILED', meta });

  test('is as promised where each field has a name and a rule', () => {
    expect(of({ fields: [{ field: 'to', rule: 'to must be a string' }] })).toEqual([]);
  });

  test('may name a field whose name is empty: JSON has such', () => {
    expect(of({ fields: [{ field: '', rule: ' is not known here' }] })).toEqual([]);
  });

  test.each<[string, object]>([
    ['names nothing', {}],
    ['has no fields', { fields: [] }],
    ['has a field without a name', { fields: [{ rule: 'must be a string' }] }],
    ['has a field without a rule', { fields: [{ field: 'to', rule: 'x' }, { field: 'text' }] }],
  ])('breaks its promise where it %s', (_, meta) => {
    expect(of(meta)).toEqual(['VALIDATION_FAILED names no field and rule']);
  });
});

test('an answer with another code need not name a field', () => {
  expect(problemsOf({ code: 'SESSION_NOT_CONNECTED', meta: {} })).toEqual([]);
});

test('an answer breaks its promise with a code that is not described for its status', () => {
  expect(problemsOf({ code: 'NO_SUCH_CODE', meta: {} })).toEqual([
    'code NO_SUCH_CODE is not described for 400',
  ]);
});

test('a value of an open enum has to be one of those that the description lists', () => {
  const open = { type: ['string', 'null'], 'x-extensible-enum': ['A', 'B'] };
  expect(check.breachesOf(open, 'B')).toEqual([]);
  expect(check.breachesOf(open, null)).toEqual([]);
  expect(check.breachesOf(open, 'C')).not.toEqual([]);
});

test('an answer without the id of its request breaks a promise, and one with a status that `default` stands for none', () => {
  const operation = { responses: { default: { 'x-error-codes': ['INTERNAL'] } } } as unknown as ApiOperation;
  const answer = { status: 500, body: { code: 'INTERNAL' } };
  expect(check.problemsOf(operation, { ...answer, headers: new Headers() })).toEqual([
    'header x-request-id is missing',
  ]);
  expect(check.problemsOf(operation, { ...answer, headers: new Headers({ 'x-request-id': 'one' }) })).toEqual(
    [],
  );
});
