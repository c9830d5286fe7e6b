import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Place, Vault } from './vault.js';

const MOST_KEYS = 10_000;
const vault = new Vault(randomBytes(32).toString('base64'));
const place: Place = { sessionId: 'a', table: 'signal_key', row: 'session|49151.0' };
const secret = Buffer.from('private key material');

test('opens what it sealed', () => {
  expect(vault.open(place, vault.seal(place, secret))).toEqual(secret);
});

test.each([
  ['session', { ...place, sessionId: 'b' }],
  ['table', { ...place, table: 'credential' as const }],
  ['row', { ...place, row: 'session|49152.0' }],
])('does not open in another %s', (_what, elsewhere) => {
  expect(() => vault.open(elsewhere, vault.seal(place, secret))).toThrow();
});

test('does not open with another master key', () => {
  const other = new Vault(randomBytes(32).toString('base64'));
  expect(() => other.open(place, vault.seal(place, secret))).toThrow();
});

test('caches a bounded number of derived keys, and opens what was sealed with one that it dropped', () => {
  const sealed = vault.seal(place, secret);
  for (let n = 0; n <= MOST_KEYS; n += 1) vault.seal({ ...place, sessionId: `other ${n}` }, secret);
  expect(vault['boxes'].size).toBe(MOST_KEYS);
  expect(vault.open(place, sealed)).toEqual(secret);
});
