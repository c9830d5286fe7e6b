import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Place, Vault } from './vault.js';

const vault = new Vault(randomBytes(32).toString('base64'));
const place: Place = { sessionId: 'a', table: 'signal_key', row: 'session|49151.0' };
const secret = Buffer.from('private key material');

test('opens what it sealed', () => {
  expect(vault.open(place, vault.seal(place, secret))).toEqual(secret);
});

test('shows nothing of the secret and never the same bytes twice', () => {
  const [one, two] = [vault.seal(place, secret), vault.seal(place, secret)];
  expect(one.includes(secret)).toBe(false);
  expect(one).not.toEqual(two);
});

test.each([
  ['session', { ...place, sessionId: 'b' }],
  ['table', { ...place, table: 'credential' as const }],
  ['row', { ...place, row: 'session|49152.0' }],
])('does not open in another %s', (_what, elsewhere) => {
  expect(() => vault.open(elsewhere, vault.seal(place, secret))).toThrow();
});

test('does not open when one bit was changed anywhere', () => {
  const sealed = vault.seal(place, secret);
  for (let i = 0; i < sealed.length; i += 1) {
    const altered = Buffer.from(sealed);
    altered[i] = (altered[i] as number) ^ 1;
    expect(() => vault.open(place, altered)).toThrow();
  }
});

test('does not open with another master key', () => {
  const other = new Vault(randomBytes(32).toString('base64'));
  expect(() => other.open(place, vault.seal(place, secret))).toThrow();
});
