import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseStrictJson } from './request-pipe.js';

const parse = (text: string | Buffer): unknown => parseStrictJson(Buffer.from(text as string));

const fields = (count: number): string => JSON.stringify(Object.fromEntries(Array(count).fill(1).entries()));

describe('a body', () => {
  test('is read as JSON', () => {
    const value = { a: 'ü 👍', b: [1, { c: null }], '': true };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  test('that is absent is an object without fields', () => {
    expect(parseStrictJson(undefined)).toEqual({});
    expect(parse('')).toEqual({});
  });

  test('may nest 32 levels, and brackets in a string do not count', () => {
    expect(() => parse('{"a":'.repeat(32) + '1' + '}'.repeat(32))).not.toThrow();
    expect(parse(JSON.stringify({ text: '[{\\"'.repeat(100) }))).toBeDefined();
    expect(() => parse('{"a":'.repeat(33) + '1' + '}'.repeat(33))).toThrow('nested');
  });

  test('may have 64 fields, 100 entries and names of 100 characters', () => {
    expect(() => parse(fields(64))).not.toThrow();
    expect(() => parse(`{"${'x'.repeat(100)}":[${'1,'.repeat(99)}1]}`)).not.toThrow();
  });

  test.each([
    ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), 'body'],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), 'body'],
    ['half a document', '{"a":', 'body'],
    ['a comment', '{"a":1} // x', 'body'],
    ['a byte order mark', '\ufeff{}', 'body'],
    ['an array', '[]', 'body'],
    ['a string', '"x"', 'body'],
    ['null', 'null', 'body'],
    ['a number', '1', 'body'],
    ['NUL in a string', '{"text":"a\\u0000b"}', 'text'],
    ['half a surrogate pair', '{"text":"\\ud83d"}', 'text'],
    ['NUL in a nested string', '{"a":[{"b":"\\u0000"}]}', 'a.0.b'],
    ['NUL in a name', '{"a\\u0000":1}', 'body'],
    ['__proto__', '{"__proto__":{"admin":true}}', 'body'],
    ['a nested __proto__', '{"a":{"__proto__":{}}}', 'a'],
    ['constructor', '{"constructor":{"prototype":{}}}', 'body'],
    ['hasOwnProperty', '{"hasOwnProperty":1}', 'body'],
    ['65 fields', fields(65), 'body'],
    ['65 fields of a field', `{"a":[${fields(65)}]}`, 'a.0'],
    ['101 entries', `{"a":[${'1,'.repeat(100)}1]}`, 'a'],
    ['a name of 101 characters', `{"${'x'.repeat(101)}":1}`, 'body'],
    ['a million brackets', '['.repeat(1_000_000), 'body'],
  ])('with %s is refused, naming the place', (_, text, field) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        meta: { fields: [{ field, rule: expect.any(String) }] },
      }),
    );
  });

  test('of any bytes is read or refused, and never anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(json)),
        ),
        (bytes) => {
          try {
            expect(typeof parseStrictJson(Buffer.from(bytes))).toBe('object');
          } catch (error) {
            expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
          }
        },
      ),
    );
  });
});
