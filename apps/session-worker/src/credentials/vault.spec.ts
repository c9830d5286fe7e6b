import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type SecretRow, UnreadableSecretError, Vault } from './vault.js';

const MOST_KEYS = 10_000;
const vault = new Vault(randomBytes(32).toString('base64'));
const row: SecretRow = { sessionId: 'a', table: 'signal_key', row: 'session|49151.0' };
const secret = Buffer.from('private key material');

test('opens what it sealed', () => {
  expect(vault.open(row, vault.seal(row, secret))).toEqual(secret);
});

test.each([
  ['session', { ...row, sessionId: 'b' }],
  ['table', { ...row, table: 'credential' as const }],
  ['row', { ...row, row: 'session|49152.0' }],
])('does not open in another %s', (_what, elsewhere) => {
  expect(() => vault.open(elsewhere, vault.seal(row, secret))).toThrow();
});

test('does not open with another master key', () => {
  const other = new Vault(randomBytes(32).toString('base64'));
  expect(() => other.open(row, vault.seal(row, secret))).toThrow();
});

test('opens what a predecessor of its master key sealed, and seals it anew', () => {
  const [former, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [
    string,
    string,
  ];
  const both = new Vault(next, former);
  const sealed = new Vault(former).seal(row, secret);
  expect(both.open(row, sealed)).toEqual(secret);
  const anew = both.reseal(row, sealed) as Buffer;
  expect(new Vault(next).open(row, anew)).toEqual(secret);
  expect(anew.subarray(0, both.header.length)).toEqual(both.header);
  expect(both.reseal(row, anew)).toBeUndefined();
  expect(() => both.reseal({ ...row, row: 'elsewhere' }, sealed)).toThrow(UnreadableSecretError);
});

test('caches a bounded number of derived keys, and opens what was sealed with one that it dropped', () => {
  const sealed = vault.seal(row, secret);
  for (let n = 0; n <= MOST_KEYS; n += 1) vault.seal({ ...row, sessionId: `other ${n}` }, secret);
  expect(vault['boxes'].size).toBe(MOST_KEYS);
  expect(vault.open(row, sealed)).toEqual(secret);
});

test('opens what an earlier process sealed: a release that derived other keys would lose every session', () => {
  const earlier = 'AlBvXZaa/A24XQHvj7omS9mPKHTnZaCeiCAcdCbaOVsrUt6oxYWGf9dL117XX1AlGuXusr0=';
  const there: SecretRow = { ...row, sessionId: '018f0000-0000-7000-8000-00000000000a' };
  const sevens = new Vault(Buffer.alloc(32, 7).toString('base64'));
  expect(sevens.open(there, Buffer.from(earlier, 'base64'))).toEqual(secret);
});

test('opens what another vault with the same master key sealed, also after it has forgotten the session', () => {
  const masterKey = randomBytes(32).toString('base64');
  const [one, other] = [new Vault(masterKey), new Vault(masterKey)];
  const sealed = one.seal(row, secret);
  expect(other.open(row, sealed)).toEqual(secret);
  other.forget(row.sessionId);
  expect(other.open(row, sealed)).toEqual(secret);
});

test('names the table and the session of what does not open, and no more', () => {
  const open = () => vault.open(row, Buffer.from('altered'));
  expect(open).toThrow(UnreadableSecretError);
  expect(open).toThrow(
    expect.objectContaining({
      name: 'UnreadableSecretError',
      message: 'A row of signal_key of session a does not open with this CREDENTIALS_KEY.',
    }),
  );
});
