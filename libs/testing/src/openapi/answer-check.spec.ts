import { describe, expect, test } from '@jest/globals';
import type { ApiDocument, ApiOperation } from './api-document.js';
import { AnswerCheck } from './answer-check.js';

const OPERATION = { responses: { 400: { content: { 'application/json': {} } } } } as unknown as ApiOperation;
const check = new AnswerCheck({ components: {} } as unknown as ApiDocument);
const problemsOf = (body: object): string[] =>
  check.problemsOf(OPERATION, {
    status: 400,
    headers: new Headers({ 'content-type': 'application/json' }),
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
