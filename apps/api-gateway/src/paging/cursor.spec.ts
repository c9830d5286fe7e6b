import { describe, expect, test } from '@jest/globals';
import { KeyDigest } from '../auth/api-key.js';
import { GatewayConfig } from '../config.js';
import { Cursors } from './cursor.js';

const cursorsOf = (keyPepper: string): Cursors =>
  new Cursors(new KeyDigest(Object.assign(new GatewayConfig(), { keyPepper })));
const cursors = cursorsOf('a pepper of 32 characters or more');
const refusal = expect.objectContaining({
  code: 'VALIDATION_FAILED',
  meta: { fields: [expect.objectContaining({ field: 'before' })] },
});

describe('a cursor', () => {
  test('gives its position back', () => {
    expect(cursors.decode('messages:a', cursors.encode('messages:a', '2026-01-01 x'))).toBe('2026-01-01 x');
    expect(cursors.decode('messages:a', undefined)).toBeUndefined();
  });

  test('of another list or tenant is refused', () => {
    const cursor = cursors.encode('messages:a', 'x');
    expect(() => cursors.decode('messages:b', cursor)).toThrow(refusal);
    expect(() => cursors.decode('webhooks:a', cursor)).toThrow(refusal);
  });

  test.each(['', 'x', 'AAAA', 'bm90IGEgY3Vyc29yIGF0IGFsbCwgbm90IGF0IGFsbA'])(
    'made by hand is refused: "%s"',
    (cursor) => {
      expect(() => cursors.decode('messages:a', cursor)).toThrow(refusal);
    },
  );

  test('signed with another key is refused', () => {
    const foreign = cursorsOf('another pepper of 32 characters or more').encode('messages:a', 'x');
    expect(() => cursors.decode('messages:a', foreign)).toThrow(refusal);
  });
});

describe('a page', () => {
  const page = (rows: number[], limit: number) => cursors.page('n', rows, limit, String);

  test('has a cursor only where one more item was found', () => {
    expect(page([1, 2], 2)).toEqual({ items: [1, 2], nextCursor: null });
    expect(page([], 2)).toEqual({ items: [], nextCursor: null });
    const { items, nextCursor } = page([1, 2, 3], 2);
    expect(items).toEqual([1, 2]);
    expect(cursors.decode('n', nextCursor ?? '')).toBe('2');
  });
});
