import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { hkdf } from '../noise/keys.js';

const SALT_BYTES = 32;
const COUNTER_IV_BYTES = 16;
const GCM_IV_BYTES = 12;
const GCM_TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Number of rounds: trying out codes takes longer than a code is shown. */
const ITERATIONS = 131_072;

const stretchCode = (code: string, salt: Buffer): Promise<Buffer> =>
  promisify(pbkdf2)(code, salt, ITERATIONS, KEY_BYTES, 'sha256');

/** Encrypts an ephemeral public key under the code: salt, counter, 32 bytes. Whoever has another code reads another key. */
export async function wrapKey(code: string, key: Buffer): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(COUNTER_IV_BYTES);
  const cipher = createCipheriv('aes-256-ctr', await stretchCode(code, salt), iv);
  return Buffer.concat([salt, iv, cipher.update(key), cipher.final()]);
}

/** Decrypts what `wrapKey` made. */
export async function unwrapKey(code: string, wrapped: Buffer): Promise<Buffer> {
  const salt = wrapped.subarray(0, SALT_BYTES);
  const iv = wrapped.subarray(SALT_BYTES, SALT_BYTES + COUNTER_IV_BYTES);
  const decipher = createDecipheriv('aes-256-ctr', await stretchCode(code, salt), iv);
  return Buffer.concat([decipher.update(wrapped.subarray(SALT_BYTES + COUNTER_IV_BYTES)), decipher.final()]);
}

/** Keys that the device sends once both sides have each other's ephemeral key. */
export interface KeyBundleOfDevice {
  companionIdentity: Buffer;
  phoneIdentity: Buffer;
  random: Buffer;
}

/** Opens the bundle; undefined when the two sides used different codes: the seal does not fit then. */
export function openKeyBundle(shared: Buffer, wrapped: Buffer): KeyBundleOfDevice | undefined {
  const salt = wrapped.subarray(0, SALT_BYTES);
  const iv = wrapped.subarray(SALT_BYTES, SALT_BYTES + GCM_IV_BYTES);
  const key = hkdf(shared, KEY_BYTES, salt, 'link_code_pairing_key_bundle_encryption_key');
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  try {
    decipher.setAuthTag(wrapped.subarray(-GCM_TAG_BYTES));
    const sealed = wrapped.subarray(SALT_BYTES + GCM_IV_BYTES, -GCM_TAG_BYTES);
    const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
    const [companionIdentity, phoneIdentity, random] = [0, 32, 64].map((at) => plain.subarray(at, at + 32));
    return companionIdentity && phoneIdentity && random && { companionIdentity, phoneIdentity, random };
  } catch {
    return undefined;
  }
}

/** Derives the secret that a QR code would have carried. */
export const advSecretOf = (shared: Buffer, identities: Buffer, random: Buffer): Buffer =>
  hkdf(Buffer.concat([shared, identities, random]), KEY_BYTES, Buffer.alloc(0), 'adv_secret');
