import { expect, test } from '@jest/globals';
import { storable } from './storable.js';

test('replaces what PostgreSQL cannot keep, at any depth, and nothing else', () => {
  expect(storable({ type: 'text', text: 'a\u0000b\ud83dc', n: 1, list: ['\udc00', null, true] })).toEqual({
    ...{ type: 'text', text: 'a\ufffdb\ufffdc', n: 1, list: ['\ufffd', null, true] },
  });
  expect(storable('👍 ü')).toBe('👍 ü');
});

test('leaves bytes and dates as they are, and makes null of a number that JSON does not know', () => {
  const [bytes, date] = [new Uint8Array([0, 216]), new Date(0)];
  const { n, infinite, ...rest } = storable({ bytes, date, n: Number.NaN, infinite: -Infinity });
  expect([n, infinite]).toEqual([null, null]);
  expect(rest.bytes).toBe(bytes);
  expect(rest.date).toBe(date);
});

test('replaces in names of fields, too', () => {
  expect(storable({ 'a\u0000': 1 })).toEqual({ 'a\ufffd': 1 });
});

test('gives back a value that needs nothing itself', () => {
  const value = { text: '👍 ü', list: [{ n: 1 }, null], at: new Date(0) };
  expect(storable(value)).toBe(value);
});
