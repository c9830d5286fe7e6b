import { describe, expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hmac, type KeyPair, randomKeyPair, sign } from '../noise/keys.js';
import { isAbout, isGenuine, offerDeviceIdentity } from './device-identity.js';

const phone = randomKeyPair();
const companion = randomKeyPair();
const SECRET = Buffer.alloc(32, 9);

const opened = (sealed: Buffer): { inner: Uint8Array; hmac: Uint8Array } => {
  const outer = proto.ADVSignedDeviceIdentityHMAC.decode(sealed);
  return { inner: outer.details ?? new Uint8Array(), hmac: outer.hmac ?? new Uint8Array() };
};

/** Makes the answer of a companion, with the parts that a test wants to be wrong. */
function countersigned(wrong: {
  signer?: KeyPair;
  prefix?: number;
  change?: Partial<proto.IADVSignedDeviceIdentity>;
}) {
  const offer = offerDeviceIdentity(phone, companion.public, SECRET, 1);
  const signed = proto.ADVSignedDeviceIdentity.decode(opened(offer.sealed).inner);
  const message = Buffer.concat([
    Buffer.from([6, wrong.prefix ?? 1]),
    offer.details,
    companion.public,
    phone.public,
  ]);
  const deviceSignature = sign((wrong.signer ?? companion).private, message);
  const answer = { ...signed, accountSignatureKey: null, deviceSignature, ...wrong.change };
  return { offer, bytes: Buffer.from(proto.ADVSignedDeviceIdentity.encode(answer).finish()) };
}

const genuine = (bytes: Buffer): boolean => isGenuine(bytes, phone.public, companion.public);

describe('a device identity', () => {
  test('is sealed with the secret of the QR code', () => {
    const { inner, hmac: seal } = opened(offerDeviceIdentity(phone, companion.public, SECRET, 1).sealed);
    expect(Buffer.from(seal)).toEqual(hmac(SECRET, inner));
  });

  test('is genuine with the signatures of phone and companion', () => {
    const { offer, bytes } = countersigned({});
    expect(genuine(bytes)).toBe(true);
    expect(isAbout(bytes, offer)).toBe(true);
  });

  test('is genuine when it names the key of the phone, and not when it names another', () => {
    expect(genuine(countersigned({ change: { accountSignatureKey: phone.public } }).bytes)).toBe(true);
    expect(genuine(countersigned({ change: { accountSignatureKey: companion.public } }).bytes)).toBe(false);
  });

  test.each([
    ['signed by another companion', { signer: randomKeyPair() }],
    ['signed for another purpose', { prefix: 0 }],
    ['without the signature of the phone', { change: { accountSignature: null } }],
    ['with a forged signature of the phone', { change: { accountSignature: Buffer.alloc(64, 1) } }],
    ['without the signature of the companion', { change: { deviceSignature: null } }],
    ['with a signature of the wrong length', { change: { deviceSignature: Buffer.alloc(63, 1) } }],
    ['about other details', { change: { details: Buffer.from('other') } }],
  ])('is refused %s', (_what, wrong) => {
    expect(genuine(countersigned(wrong).bytes)).toBe(false);
  });

  test('is refused for another companion or another phone', () => {
    const { bytes } = countersigned({});
    expect(isGenuine(bytes, phone.public, randomKeyPair().public)).toBe(false);
    expect(isGenuine(bytes, randomKeyPair().public, companion.public)).toBe(false);
  });

  test('of an earlier offer does not concern a later one', () => {
    const { bytes } = countersigned({});
    expect(isAbout(bytes, offerDeviceIdentity(phone, companion.public, SECRET, 2))).toBe(false);
  });

  test('that is no protobuf is refused', () => {
    expect(genuine(Buffer.from([255, 255, 255]))).toBe(false);
  });
});
