import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { SecretBox, secretKey, type SecretPlace } from './secret-box.js';

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

/** Seals as earlier releases did. */
function sealInFormat1(key: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(JSON.stringify(place)));
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), text]);
}

describe('the id of the key', () => {
  const [former, current] = [randomBytes(32), randomBytes(32)];

  test('is carried by what is sealed, and follows from the key', () => {
    const sealed = new SecretBox(current).seal(secret, place);
    expect(sealed[0]).toBe(2);
    expect(sealed.subarray(1, 5)).toEqual(secretKey(current.toString('base64')).id);
    expect(secretKey(former).id).not.toEqual(secretKey(current).id);
    expect(current.includes(secretKey(current).id)).toBe(false);
  });

  test('finds the key among several; the first one seals', () => {
    const both = new SecretBox(current, former);
    const sealed = new SecretBox(former).seal(secret, place);
    expect(both.open(sealed, place)).toEqual(secret);
    expect(new SecretBox(current).open(both.seal(secret, place), place)).toEqual(secret);
  });

  test('decides what is sealed anew: what another key has sealed, and nothing else', () => {
    const both = new SecretBox(current, former);
    const anew = both.reseal(new SecretBox(former).seal(secret, place), place);
    expect(new SecretBox(current).open(anew ?? Buffer.alloc(0), place)).toEqual(secret);
    expect(both.reseal(both.seal(secret, place), place)).toBeUndefined();
    expect(new SecretBox(current).open(both.reseal(sealInFormat1(former), place) as Buffer, place)).toEqual(
      secret,
    );
    expect(() => both.reseal(new SecretBox(randomBytes(32)).seal(secret, place), place)).toThrow();
  });

  test('may be given twice', () => {
    expect(new SecretBox(current, current).open(new SecretBox(current).seal(secret, place), place)).toEqual(
      secret,
    );
  });

  test('that nobody knows is named in the error, the secret is not', () => {
    const sealed = new SecretBox(former).seal(secret, place);
    const id = secretKey(former).id.toString('hex');
    const words = `The secret is sealed with a key that is not configured (id ${id}).`;
    expect(() => new SecretBox(current).open(sealed, place)).toThrow(words);
  });

  test('of another key does not open, though that key is known', () => {
    const sealed = new SecretBox(former).seal(secret, place);
    secretKey(current).id.copy(sealed, 1);
    expect(() => new SecretBox(current, former).open(sealed, place)).toThrow();
  });

  test('is bound into the value, not only written before it', () => {
    const [one, two] = [secretKey(current), secretKey(current, former)];
    const sealed = new SecretBox(one).seal(secret, place);
    two.id.copy(sealed, 1);
    expect(() => new SecretBox(one, two).open(sealed, place)).toThrow();
  });

  test('of a derived key is that of its master', () => {
    const derived = secretKey(randomBytes(32), current);
    const sealed = new SecretBox(derived).seal(secret, place);
    expect(sealed.subarray(1, 5)).toEqual(secretKey(current).id);
    expect(() => new SecretBox(current).open(sealed, place)).toThrow();
    expect(new SecretBox(derived).open(sealed, place)).toEqual(secret);
  });

  test('cannot be that of two keys at one time', () => {
    const other = secretKey(randomBytes(32), current);
    expect(() => new SecretBox(current, other)).toThrow('same id');
  });
});

describe('what an earlier release has sealed', () => {
  const [former, current] = [randomBytes(32), randomBytes(32)];

  test('opens with its key, also where that is a predecessor by now', () => {
    const sealed = sealInFormat1(former);
    for (const keys of [new SecretBox(former), new SecretBox(current, former)])
      expect(keys.open(sealed, place)).toEqual(secret);
  });

  test('does not open with another key, elsewhere, or with a changed byte', () => {
    const sealed = sealInFormat1(former);
    expect(() => new SecretBox(current).open(sealed, place)).toThrow();
    expect(() => new SecretBox(former).open(sealed, ['elsewhere'])).toThrow();
    for (let index = 1; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => new SecretBox(former).open(changed, place)).toThrow();
    }
  });
});
