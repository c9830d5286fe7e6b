import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GatewayConfig } from '../config.js';
import { generateKey, KeyDigest, parseKey } from './api-key.js';

describe('an API key', () => {
  test('has the prefix of its environment and fifty characters after it', () => {
    const { key, kid, body } = generateKey('live');
    expect(key).toMatch(/^rk_live_[A-Za-z0-9]{50}$/);
    expect(body.startsWith(kid)).toBe(true);
    expect(kid).toHaveLength(12);
  });

  test.each(['live', 'test'] as const)('of %s can be taken apart again', (env) => {
    const { key, kid, body } = generateKey(env);
    expect(parseKey(key)).toEqual({ env, kid, body });
  });

  test('is never made twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => generateKey('live').kid)).size).toBe(1000);
  });

  test('with one character changed fails its checksum', () => {
    const { key } = generateKey('live');
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: key.length - 1 }),
        fc.constantFrom(...'0Az9'),
        (at, character) => {
          fc.pre(key[at] !== character);
          expect(parseKey(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
        },
      ),
    );
  });

  test.each([
    ['nothing', ''],
    ['another prefix', (key: string) => key.replace('rk_live_', 'rk_prod_')],
    ['no prefix', (key: string) => key.slice(8)],
    ['one character less', (key: string) => key.slice(0, -1)],
    ['one character more', (key: string) => `${key}0`],
    ['a line break at the end', (key: string) => `${key}\n`],
    ['a character that is none of the alphabet', (key: string) => `${key.slice(0, 20)}-${key.slice(21)}`],
  ])('with %s is none', (_, change) => {
    const { key } = generateKey('live');
    expect(parseKey(typeof change === 'string' ? change : change(key))).toBeUndefined();
  });

  test('uses every character of the alphabet about equally often', () => {
    const text = Array.from({ length: 2000 }, () => generateKey('live').body.slice(0, 44)).join('');
    const counts = new Map<string, number>();
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = text.length / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - expected) / expected).toBeLessThan(0.2);
  });
});

const withPeppers = (keyPepper: string, keyPepperVersion: number, keyPepperPrevious?: string): KeyDigest =>
  new KeyDigest(Object.assign(new GatewayConfig(), { keyPepper, keyPepperVersion, keyPepperPrevious }));

const OLD = 'the pepper of last year, 32 characters';
const NEW = 'the pepper of this year, 32 characters';

describe('the digest of a key', () => {
  test('matches that key and no other', () => {
    const digest = withPeppers(OLD, 1);
    const stored = digest.make('body');
    expect(stored.digest).toHaveLength(32);
    expect(digest.matches('body', stored)).toBe(true);
    expect(digest.matches('bodx', stored)).toBe(false);
  });

  test('of a key that is not known matches nothing', () => {
    expect(withPeppers(OLD, 1).matches('body', null)).toBe(false);
  });

  test('still matches under the pepper before, or the next one, and no longer when that is gone', () => {
    const stored = withPeppers(OLD, 1).make('body');
    expect(withPeppers(NEW, 2, OLD).matches('body', stored)).toBe(true);
    expect(withPeppers(OLD, 1, NEW).matches('body', withPeppers(NEW, 2, OLD).make('body'))).toBe(true);
    expect(withPeppers(NEW, 2).matches('body', stored)).toBe(false);
    expect(withPeppers('another pepper, of 32 characters more', 3, NEW).matches('body', stored)).toBe(false);
  });

  test('of an earlier version is old, and one of a later version is not', () => {
    const digest = withPeppers(NEW, 2, OLD);
    const isOld = [1, 2, 3].map((pepperVersion) => digest.isOld({ ...digest.make('body'), pepperVersion }));
    expect(isOld).toEqual([true, false, false]);
  });

  test('is made under the newest pepper', () => {
    expect(withPeppers(NEW, 2, OLD).make('body').pepperVersion).toBe(2);
  });
});
