import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { calculateSignature, verifySignature } from 'libsignal/src/curve.js';

/** A Curve25519 key pair, both halves as 32 raw bytes. */
export interface KeyPair {
  public: Buffer;
  private: Buffer;
}

const SIGNAL_KEY_TYPE = Buffer.from([5]);

/**
 * Reads a raw key as JWK: OpenSSL's reader of DER takes twenty times as long, which is most of the price
 * of a new session. The public half is not looked at when a private key is read.
 */
const privateKeyObject = (key: Uint8Array): KeyObject =>
  createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x: '', d: base64url(key) } });

const publicKeyObject = (key: Uint8Array): KeyObject =>
  createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'X25519', x: base64url(key) } });

const base64url = (key: Uint8Array): string => Buffer.from(key).toString('base64url');

function pairOf(key: KeyObject): KeyPair {
  const { x = '', d = '' } = key.export({ format: 'jwk' });
  return { public: Buffer.from(x, 'base64url'), private: Buffer.from(d, 'base64url') };
}

/** Makes the key pair of a secret. The same secret always gives the same pair, which keeps the trust root stable between runs. */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  const privateKey = Buffer.from(secret);
  // The key is clamped as RFC 7748 wants it, because the signature code expects a clamped scalar.
  privateKey[0] = (privateKey[0] ?? 0) & 248;
  privateKey[31] = ((privateKey[31] ?? 0) & 127) | 64;
  return pairOf(privateKeyObject(privateKey));
}

/**
 * Makes a new key pair, of a secret of our own: a key of `generateKeyPairSync` shares a lock with what generated it, and whoever exports it
 * while Node collects that as garbage waits for itself, for ever.
 */
export const randomKeyPair = (): KeyPair => keyPairFrom(randomBytes(32));

export function agree(privateKey: Uint8Array, publicKey: Uint8Array): Buffer {
  if (publicKey.length !== 32) throw new Error('the public key has the wrong length');
  return diffieHellman({ privateKey: privateKeyObject(privateKey), publicKey: publicKeyObject(publicKey) });
}

/** Writes a public key as Signal does: one type byte, then the 32 bytes. */
export const signalKey = (key: Uint8Array): Buffer =>
  key.length === 33 ? Buffer.from(key) : Buffer.concat([SIGNAL_KEY_TYPE, key]);

export const sign = (privateKey: Buffer, message: Uint8Array): Buffer =>
  Buffer.from(calculateSignature(privateKey, message));

/**
 * Verifies a signature. The client library's own helper throws the verdict away and calls every well-formed
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
