import { bytesToCrockford } from '@whiskeysockets/baileys';
import { expect, test } from '@jest/globals';
import { sha256 } from '../../noise/keys.js';
import { codeOf, commitmentOf, handoffProof, openPairingRequest } from './passkey-keys.js';

const KEY = Buffer.alloc(32, 5);

test('a code is written in the characters of the codes that are typed', () => {
  for (let byte = 0; byte < 256; byte += 5) {
    const phone = { public: KEY, nonce: Buffer.alloc(32, byte) };
    const nonce = Buffer.alloc(32, 255 - byte);
    const digest = sha256(Buffer.concat([nonce, KEY]));
    const plain = bytesToCrockford(Buffer.from([0, 1, 2, 3, 4].map((at) => byte ^ digest.readUInt8(at))));
    expect(codeOf(phone, nonce)).toBe(`${plain.slice(0, 4)}-${plain.slice(4)}`);
  }
});

test('commitment and proof depend on all that they are about', () => {
  const other = Buffer.alloc(32, 6);
  expect(commitmentOf(KEY, other)).not.toEqual(commitmentOf(other, KEY));
  expect(handoffProof(KEY, other)).not.toEqual(handoffProof(other, other));
  expect(handoffProof(KEY, KEY)).not.toEqual(handoffProof(KEY, other));
});

test('a message that is not sealed does not open', () => {
  expect(openPairingRequest(KEY, { deviceType: 1, ref: 'a' }, Buffer.alloc(40))).toBeUndefined();
});
