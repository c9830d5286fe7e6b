import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { KeyDigest } from '../auth/api-key.js';
import { GatewayConfig } from '../config.js';
import { Cursors } from './cursor.js';

const PEPPER = 'a pepper of 32 characters or more';
const digestOf = (keyPepper: string): KeyDigest =>
  new KeyDigest(Object.assign(new GatewayConfig(), { keyPepper }));
const cursorsOf = (keyPepper: string): Cursors => new Cursors(digestOf(keyPepper));
const cursors = cursorsOf(PEPPER);
const refusal = expect.objectContaining({
  code: 'VALIDATION_FAILED',
  meta: { fields: [expect.objectContaining({ field: 'before' })] },
});

describe('a cursor', () => {
  test('gives its position back', () => {
    expect(cursors.decode('messages:a', cursors.encode('messages:a', '2026-01-01 x'))).toBe('2026-01-01 x');
    expect(cursors.decode('messages:a', undefined)).toBeUndefined();
  });

  test('shows nothing of its position, and is the same for the same place', () => {
    const cursor = cursors.encode('events:a', '1234567');
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toContain('1234567');
    expect(cursors.encode('events:a', '1234567')).toBe(cursor);
    expect(cursors.encode('events:b', '1234567').slice(0, 16)).not.toBe(cursor.slice(0, 16));
  });

  test('of an earlier release, which was signed only, is still read', () => {
    const position = '1234567';
    const [macKey = ''] = digestOf(PEPPER).deriveKeys('page-cursor');
    const mac = createHmac('sha256', macKey).update(`events:a\n${position}`);
    const bytes = [mac.digest().subarray(0, 12), Buffer.from(position)];
    const signed = Buffer.concat(bytes).toString('base64url');
    expect(cursors.decode('events:a', signed)).toBe(position);
    expect(() => cursors.decode('events:b', signed)).toThrow(refusal);
  });

  test('outlives a change of the pepper, in both directions while replicas differ', () => {
    const [former, next] = [PEPPER, 'the pepper of tomorrow, long enough'];
    const of = (keyPepper: string, keyPepperPrevious: string): Cursors =>
      new Cursors(new KeyDigest(Object.assign(new GatewayConfig(), { keyPepper, keyPepperPrevious })));
    for (const [one, other] of [
      [of(former, next), of(next, former)],
      [of(next, former), of(former, next)],
    ] as const)
      expect(other.decode('messages:a', one.encode('messages:a', 'x y'))).toBe('x y');
  });

  test('in which one bit is another is refused', () => {
    const bytes = Buffer.from(cursors.encode('messages:a', 'x y'), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() => cursors.decode('messages:a', changed.toString('base64url'))).toThrow(refusal);
    }
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

  test('encrypted with another key is refused', () => {
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
