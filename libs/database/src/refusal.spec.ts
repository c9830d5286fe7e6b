import { expect, test } from '@jest/globals';
import { isOfContent } from './refusal.js';

const refused = (code: string): Error =>
  Object.assign(new Error('query failed'), { driverError: Object.assign(new Error('words'), { code }) });

test.each(['22021', '22P05', '23502', '54000', 'XX000'])(
  'a statement refused with %s is the fault of its content',
  (code) => {
    expect(isOfContent(refused(code))).toBe(true);
  },
);

test.each(['08006', '57P01', '57014', '40P01', '53300', '25006', '42P01'])(
  'one refused with %s is not',
  (code) => {
    expect(isOfContent(refused(code))).toBe(false);
  },
);

test('a value that our own code cannot take is the fault of the content', () => {
  expect(() => new Date(Number.NaN).toISOString()).toThrow(RangeError);
  expect(isOfContent(new RangeError('Invalid time value'))).toBe(true);
});

test.each([
  ['a connection that broke', Object.assign(new Error('read'), { code: 'ECONNRESET' })],
  ['any other error', new Error('The runner has ended.')],
  ['what is no error', undefined],
])('%s is not', (_what, error) => {
  expect(isOfContent(error)).toBe(false);
});
