import { describe, expect, test } from '@jest/globals';
import { describeError, refusalWords } from './logger.js';

describe('what is logged of an error', () => {
  test('is its kind, its words and where it was thrown', () => {
    const error = new RangeError('too far');
    expect(describeError(error)).toEqual({ type: 'RangeError', message: 'too far', stack: error.stack });
  });

  test('holds its code and its cause, to any depth', () => {
    const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const error = new Error('no server', { cause: new Error('no way', { cause: root }) });
    expect(describeError(error)).toMatchObject({
      message: 'no server',
      cause: { message: 'no way', cause: { message: 'refused', code: 'ECONNREFUSED' } },
    });
  });

  test('ends where the causes go round in a circle', () => {
    const first = new Error('first');
    const second = new TypeError('second', { cause: first });
    first.cause = second;
    expect(describeError(first)).toMatchObject({ message: 'first', cause: { message: 'second' } });
    expect(JSON.stringify(describeError(first))).toContain('"cause":{"type":"Error"}');
  });

  test('of PostgreSQL holds names and codes, but no value of a row and no statement', () => {
    const driverError = Object.assign(new Error('Key (body)=(canary) exists'), {
      code: '23505',
      severity: 'ERROR',
      table: 'message',
      constraint: 'message_pkey',
      detail: 'canary',
      where: 'canary',
    });
    const failed = Object.assign(new Error('canary'), {
      name: 'QueryFailedError',
      driverError,
      parameters: ['canary'],
    });
    for (const error of [failed, driverError, new Error('while saving', { cause: failed })]) {
      const described = JSON.stringify(describeError(error));
      expect(described).not.toContain('canary');
      expect(described).toContain('23505');
      expect(described).toContain('message_pkey');
    }
  });

  test.each([
    ['text', 'canary'],
    ['an object', { key: 'canary' }],
    ['nothing', undefined],
  ])('that is no error but %s is its type only', (_, thrown) => {
    expect(JSON.stringify(describeError(thrown))).not.toContain('canary');
  });
});

test('PostgreSQL says why it refused something, without what it quotes', () => {
  const driverError = Object.assign(
    new Error('invalid input syntax for type json: a "canary" b, said (canary)'),
    {
      severity: 'ERROR',
      code: '22P02',
    },
  );
  const refused = Object.assign(new Error('canary'), { name: 'QueryFailedError', driverError });
  for (const error of [driverError, refused])
    expect(refusalWords(error)).toBe('invalid input syntax for type json: a …');
  expect(refusalWords(new Error('canary'))).toBeUndefined();
});
