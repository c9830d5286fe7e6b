import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Curve } from '@whiskeysockets/baileys/lib/Utils/crypto.js';
import { agree, keyPairFrom, randomKeyPair, sign, verify } from './keys.js';

describe('keys', () => {
  test('follow from their secret', () => {
    const secret = Buffer.alloc(32, 7);
    expect(keyPairFrom(secret)).toEqual(keyPairFrom(secret));
  });

  test('are made by the thousand, also while Node collects garbage', async () => {
    // A process of its own: one that waits for itself ends no test.
    const built = new URL('../../dist/noise/keys.js', import.meta.url).href;
    const script = `const { randomKeyPair } = await import('${built}');
      for (let made = 0; made < 5000; made += 1) randomKeyPair();`;
    const options = ['--max-semi-space-size=1', '--input-type=module', '--eval', script];
    await promisify(execFile)(process.execPath, options, { timeout: 30_000 });
  });

  test('agree with the keys of the client', () => {
    const [ours, theirs] = [randomKeyPair(), Curve.generateKeyPair()];
    const here = agree(ours.private, theirs.public);
    expect(here).toEqual(Curve.sharedKey(theirs.private, ours.public));
  });

  test('sign what the holder of the public key can verify', () => {
    const pair = keyPairFrom(Buffer.alloc(32, 3));
    const message = Buffer.from('message');
    expect(verify(pair.public, message, sign(pair.private, message))).toBe(true);
  });

  test.each([
    ['an altered message', (s: Buffer) => ({ message: Buffer.from('massage'), signature: s })],
    ['an altered signature', (s: Buffer) => ({ message: Buffer.from('message'), signature: flip(s) })],
    ['constant bytes', () => ({ message: Buffer.from('message'), signature: Buffer.alloc(64, 1) })],
    ['a short signature', (s: Buffer) => ({ message: Buffer.from('message'), signature: s.subarray(1) })],
  ])('do not verify %s', (_what, forge) => {
    const pair = keyPairFrom(Buffer.alloc(32, 3));
    const { message, signature } = forge(sign(pair.private, Buffer.from('message')));
    expect(verify(pair.public, message, signature)).toBe(false);
  });

  test('do not verify the signature of another key', () => {
    const message = Buffer.from('message');
    expect(verify(randomKeyPair().public, message, sign(randomKeyPair().private, message))).toBe(false);
  });
});

const flip = (signature: Buffer): Buffer => {
  const copy = Buffer.from(signature);
  copy.writeUInt8(copy.readUInt8(0) ^ 1, 0);
  return copy;
};
