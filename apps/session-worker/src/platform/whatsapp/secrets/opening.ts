import { createDecipheriv, hkdfSync } from 'node:crypto';
import type { Sealed } from '../content/sealed-content.js';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Openers of a seal, as far as they are known: people have two addresses each, and clients do not agree on which of them a seal names. */
export interface Openers {
  secrets: Uint8Array[];
  /** Addresses of who wrote the earlier message. */
  authors: string[];
  /** Addresses of who wrote this one. */
  writers: string[];
}

/** Opens sealed words by whatever opens them; undefined: nothing does. */
export function opened(sealed: Sealed, { secrets, authors, writers }: Openers): Buffer | undefined {
  if (sealed.iv.length !== IV_BYTES || sealed.payload.length < TAG_BYTES) return undefined;
  for (const secret of secrets)
    for (const author of authors)
      for (const writer of writers) {
        const words = openedBy(sealed, secret, author, writer);
        if (words) return words;
      }
  return undefined;
}

function openedBy(
  { id, label, payload, iv }: Sealed,
  secret: Uint8Array,
  author: string,
  writer: string,
): Buffer | undefined {
  const key = hkdfSync('sha256', secret, '', `${id}${author}${writer}${label}`, KEY_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), iv, { authTagLength: TAG_BYTES });
  // A vote is bound to its voter once more.
  if (label === 'Poll Vote') decipher.setAAD(Buffer.from(`${id}\0${writer}`));
  decipher.setAuthTag(payload.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
