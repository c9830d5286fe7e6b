import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { SecretBox, type SecretPlace } from './secret-box.js';

const box = new SecretBox(randomBytes(32).toString('base64'));
const place: SecretPlace = ['webhook_endpoint', 'secret_enc', 'tenant', 'row'];
const secret = Buffer.from('private key material');

test('opens what it has sealed, and never seals twice alike', () => {
  const [first, second] = [box.seal(secret, place), box.seal(secret, place)];
  expect(first.equals(second)).toBe(false);
  expect([box.open(first, place), box.open(second, place)]).toEqual([secret, secret]);
});

test('shows nothing of the secret', () => {
  expect(box.seal(secret, place).includes(secret)).toBe(false);
});

test.each(place.map((_, index) => index))('does not open where part %i of the place is another', (index) => {
  const elsewhere = place.with(index, 'other');
  expect(() => box.open(box.seal(secret, place), elsewhere)).toThrow();
});

test('tells places apart whose parts hold any character', () => {
  const sealed = box.seal(secret, ['a|b', 'c']);
  expect(() => box.open(sealed, ['a', 'b|c'])).toThrow();
});

test('opens with the same key as bytes, and not with another', () => {
  const key = randomBytes(32);
  const sealed = new SecretBox(key).seal(secret, place);
  expect(new SecretBox(key.toString('base64')).open(sealed, place)).toEqual(secret);
  expect(() => box.open(sealed, place)).toThrow();
});

test('does not open with a changed byte or a shortened tag', () => {
  const sealed = box.seal(secret, place);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box.open(changed, place)).toThrow();
  }
  expect(() => box.open(sealed.subarray(0, 20), place)).toThrow();
});
