import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto';
import { calculateSignature, verifySignature } from 'libsignal/src/curve.js';

/** A Curve25519 key pair, both halves as 32 raw bytes. */
export interface KeyPair {
  public: Buffer;
  private: Buffer;
}

const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SIGNAL_KEY_TYPE = Buffer.from([5]);

const privateKeyObject = (key: Uint8Array): ReturnType<typeof createPrivateKey> =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_DER, key]), format: 'der', type: 'pkcs8' });

/** The same secret always gives the same pair: this is what keeps the trust root stable between runs. */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  const privateKey = Buffer.from(secret);
  // Clamped as RFC 7748 wants it, because the signature code expects a clamped scalar.
  privateKey[0] = (privateKey[0] ?? 0) & 248;
  privateKey[31] = ((privateKey[31] ?? 0) & 127) | 64;
  const spki = createPublicKey(privateKeyObject(privateKey)).export({ format: 'der', type: 'spki' });
  return { public: Buffer.from(spki.subarray(PUBLIC_DER.length)), private: privateKey };
}

export function randomKeyPair(): KeyPair {
  const pair = generateKeyPairSync('x25519');
  const pkcs8 = pair.privateKey.export({ format: 'der', type: 'pkcs8' });
  return keyPairFrom(pkcs8.subarray(PRIVATE_DER.length));
}

export function agree(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  return diffieHellman({
    privateKey: privateKeyObject(privateKey),
    publicKey: createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), format: 'der', type: 'spki' }),
  });
}

/** Public key as Signal writes it: one type byte, then the 32 bytes. */
export const signalKey = (key: Uint8Array): Buffer =>
  key.length === 33 ? Buffer.from(key) : Buffer.concat([SIGNAL_KEY_TYPE, key]);

export const sign = (privateKey: Buffer, message: Uint8Array): Buffer =>
  Buffer.from(calculateSignature(privateKey, message));

/**
 * Real verification. The client library's own helper throws the verdict away and calls every well-formed
 * signature good, so it must not be used here.
 */
export function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false;
  return verifySignature(signalKey(publicKey), message, Buffer.from(signature));
}

export const sha256 = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();

export const hmac = (key: Uint8Array, data: Uint8Array | string): Buffer =>
  createHmac('sha256', key).update(data).digest();

export const hkdf = (secret: Uint8Array, length: number, salt: Uint8Array, info = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));
