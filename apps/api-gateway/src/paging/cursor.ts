import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalidField, type Page } from '@svc/contracts';
import { KeyDigest } from '../auth/api-key.js';

/** Items per page where the caller does not say. */
export const DEFAULT_LIMIT = 50;
const MAC_BYTES = 12;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
/** A cursor is a text of 512 characters at most. */
const TAG = { authTagLength: 12 };

/** Keys of cursors under one pepper. */
interface CursorKeys {
  mac: Buffer;
  cipher: Buffer;
}

/**
 * This class makes opaque cursors: the position of the last item of a page, encrypted for one list of one tenant, so that nobody builds
 * one by hand, none works elsewhere, and none shows how much goes on in the whole installation.
 */
@Injectable()
export class Cursors {
  private readonly keys: CursorKeys[];

  constructor(digest: KeyDigest) {
    const ciphers = digest.deriveKeys('page-cursor-cipher');
    this.keys = digest
      .deriveKeys('page-cursor')
      .map((mac, index) => ({ mac, cipher: ciphers[index] as Buffer }));
  }

  /** @param list name of the list with its tenant, e.g. `messages:<tenantId>` */
  encode(list: string, position: string): string {
    // No two positions share a nonce, and the same place has the same cursor.
    const key = this.keys[0] as CursorKeys;
    const iv = macOf(key, list, position).subarray(0, IV_BYTES);
    const cipher = createCipheriv(CIPHER, key.cipher, iv, TAG).setAAD(Buffer.from(list));
    const sealed = Buffer.concat([cipher.update(position, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /**
   * @param field that holds the cursor
   * @throws AppError `VALIDATION_FAILED` when the cursor is not one of this list's.
   */
  decode(list: string, cursor: string | undefined, field = 'before'): string | undefined {
    if (cursor === undefined) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    for (const key of this.keys) {
      const position = decrypted(key, list, bytes) ?? signed(key, list, bytes);
      if (position !== undefined) return position;
    }
    throw invalidField(field, `${field} must be the nextCursor of a page of this list`);
  }

  /** Cuts what was read with one item more than asked for into a page. */
  page<T>(list: string, rows: T[], limit: number, positionOf: (last: T) => string): Page<T> {
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const more = rows.length > limit && last !== undefined;
    return { items, nextCursor: more ? this.encode(list, positionOf(last)) : null };
  }
}

function decrypted({ cipher: key }: CursorKeys, list: string, bytes: Buffer): string | undefined {
  const sealedFrom = IV_BYTES + TAG.authTagLength;
  if (bytes.length < sealedFrom) return undefined;
  const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), TAG);
  cipher.setAAD(Buffer.from(list)).setAuthTag(bytes.subarray(IV_BYTES, sealedFrom));
  try {
    return cipher.update(bytes.subarray(sealedFrom), undefined, 'utf8') + cipher.final('utf8');
  } catch {
    return undefined; // the tag does not fit
  }
}

/** Reads a cursor of an earlier release, which was signed only: whoever follows the event log keeps one for days. */
function signed(key: CursorKeys, list: string, bytes: Buffer): string | undefined {
  const mac = bytes.subarray(0, MAC_BYTES);
  const position = bytes.subarray(MAC_BYTES).toString('utf8');
  const fits = mac.length === MAC_BYTES && timingSafeEqual(mac, macOf(key, list, position));
  return fits ? position : undefined;
}

function macOf({ mac }: CursorKeys, list: string, position: string): Buffer {
  return createHmac('sha256', mac).update(`${list}\n${position}`).digest().subarray(0, MAC_BYTES);
}
