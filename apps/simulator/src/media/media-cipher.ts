import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MediaKind } from '@svc/contracts';
import { hkdf, hmac, sha256 } from '../noise/keys.js';

/** Purposes that go into the keys of each kind. */
const PURPOSES: Record<MediaKind, string> = {
  image: 'Image',
  sticker: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
};

const MAC_BYTES = 10;
const KEY_BYTES = 32;

/** Facts of a message about a file that lies, encrypted, with the media host. */
export interface SealedMedia {
  mediaKey: Buffer;
  fileSha256: Buffer;
  fileEncSha256: Buffer;
  fileLength: number;
}

function keysOf(mediaKey: Uint8Array, kind: MediaKind): { iv: Buffer; cipherKey: Buffer; macKey: Buffer } {
  const keys = hkdf(mediaKey, 112, Buffer.alloc(0), `WhatsApp ${PURPOSES[kind]} Keys`);
  return { iv: keys.subarray(0, 16), cipherKey: keys.subarray(16, 48), macKey: keys.subarray(48, 80) };
}

/** Encrypts a file as a phone does before it uploads it. */
export function sealMedia(kind: MediaKind, file: Buffer): { blob: Buffer; sealed: SealedMedia } {
  const mediaKey = randomBytes(KEY_BYTES);
  const { iv, cipherKey, macKey } = keysOf(mediaKey, kind);
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv);
  const ciphertext = Buffer.concat([cipher.update(file), cipher.final()]);
  const mac = hmac(macKey, Buffer.concat([iv, ciphertext])).subarray(0, MAC_BYTES);
  const blob = Buffer.concat([ciphertext, mac]);
  const digests = { fileSha256: sha256(file), fileEncSha256: sha256(blob) };
  return { blob, sealed: { mediaKey, ...digests, fileLength: file.length } };
}

/** Decrypts a file; a text says what is wrong with it. A phone checks everything that there is to check. */
export function openMedia(
  kind: MediaKind,
  blob: Buffer,
  sealed: { [Name in keyof SealedMedia]?: Uint8Array | number | unknown },
): Buffer | string {
  const { mediaKey, fileSha256, fileEncSha256 } = sealed;
  if (!(mediaKey instanceof Uint8Array)) return 'the message has no key for it';
  if (!sameBytes(fileEncSha256, sha256(blob))) return 'the digest of the encrypted file differs';
  const { iv, cipherKey, macKey } = keysOf(mediaKey, kind);
  const ciphertext = blob.subarray(0, -MAC_BYTES);
  const mac = hmac(macKey, Buffer.concat([iv, ciphertext])).subarray(0, MAC_BYTES);
  if (!mac.equals(blob.subarray(-MAC_BYTES))) return 'it is not sealed with the key of the message';
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  try {
    const file = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    return sameBytes(fileSha256, sha256(file)) ? file : 'the digest of the file differs';
  } catch {
    return 'it cannot be decrypted';
  }
}

const sameBytes = (claimed: unknown, actual: Buffer): boolean =>
  claimed instanceof Uint8Array && actual.equals(claimed);
