import { createDecipheriv } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { hkdf, hmac, sha256 } from '../../noise/keys.js';

const KEY_BYTES = 32;
const GCM_TAG_BYTES = 16;
/** Number of bytes of a code: eight characters of five bits each. */
const CODE_BYTES = 5;
/** Characters of a code: none that people take for another one. The standard alphabet of base 32 is another one. */
const CHARACTERS = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';

/** Makes the proof that a device knows the secret that the phone was shown before. */
export const handoffProof = (advSecret: Buffer, prologue: Buffer): Buffer =>
  hmac(hkdf(advSecret, KEY_BYTES, Buffer.alloc(0), 'shortcake-passkey-handoff-v1'), prologue);

/** Makes the commitment of a device: it binds itself to its nonce before it knows that of the phone. */
export const commitmentOf = (identity: Uint8Array, nonce: Uint8Array): Buffer =>
  sha256(Buffer.concat([identity, nonce]));

/** Makes the code that both screens show. */
export function codeOf(phone: { public: Buffer; nonce: Buffer }, companionNonce: Buffer): string {
  const digest = sha256(Buffer.concat([companionNonce, phone.public]));
  let bits = 0n;
  for (let at = 0; at < CODE_BYTES; at += 1)
    bits = (bits << 8n) | BigInt(phone.nonce.readUInt8(at) ^ digest.readUInt8(at));
  const characters = Array.from(
    { length: 8 },
    (_, at) => CHARACTERS[Number((bits >> BigInt(35 - 5 * at)) & 31n)],
  );
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/** Opens the last message of a device; undefined when it is not sealed with the key that both have agreed on. */
export function openPairingRequest(
  shared: Buffer,
  { deviceType, ref }: { deviceType: number; ref: string },
  sealed: Buffer,
): proto.PairingRequest | undefined {
  const salt = Buffer.from(`Companion Pairing ${deviceType} with ref ${ref}`);
  const key = hkdf(shared, KEY_BYTES, salt, 'Pairing Information Encryption Key');
  try {
    const { iv, encryptedPayload } = proto.EncryptedPairingRequest.decode(sealed);
    const payload = Buffer.from(encryptedPayload ?? []);
    const decipher = createDecipheriv('aes-256-gcm', key, iv ?? Buffer.alloc(0));
    decipher.setAuthTag(payload.subarray(-GCM_TAG_BYTES));
    const plain = Buffer.concat([decipher.update(payload.subarray(0, -GCM_TAG_BYTES)), decipher.final()]);
    return proto.PairingRequest.decode(plain);
  } catch {
    return undefined;
  }
}
