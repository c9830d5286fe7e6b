import { describe, expect, test } from '@jest/globals';
import { GatewayConfig } from '../config.js';
import { KeyDigest } from './key-digest.js';

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

  test('still matches under the pepper before, and no longer one version later', () => {
    const stored = withPeppers(OLD, 1).make('body');
    expect(withPeppers(NEW, 2, OLD).matches('body', stored)).toBe(true);
    expect(withPeppers(NEW, 2).matches('body', stored)).toBe(false);
    expect(withPeppers('another pepper, of 32 characters more', 3, NEW).matches('body', stored)).toBe(false);
  });

  test('is made under the newest pepper', () => {
    expect(withPeppers(NEW, 2, OLD).make('body').pepperVersion).toBe(2);
  });
});
