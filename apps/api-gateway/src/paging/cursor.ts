import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalidField, type Page } from '@svc/contracts';
import { KeyDigest } from '../auth/api-key.js';

/** Items per page where the caller does not say. */
export const DEFAULT_LIMIT = 50;
const MAC_BYTES = 12;

/**
 * This class makes opaque cursors: the position of the last item of a page, signed for one list of one tenant, so that nobody builds
 * one by hand and none works elsewhere.
 */
@Injectable()
export class Cursors {
  private readonly key: Buffer;

  constructor(digest: KeyDigest) {
    this.key = digest.deriveKey('page-cursor');
  }

  /** @param list name of the list with its tenant, e.g. `messages:<tenantId>` */
  encode(list: string, position: string): string {
    return Buffer.concat([this.mac(list, position), Buffer.from(position)]).toString('base64url');
  }

  /**
   * @param field that holds the cursor
   * @throws AppError `VALIDATION_FAILED` when the cursor is not one of this list's.
   */
  decode(list: string, cursor: string | undefined, field = 'before'): string | undefined {
    if (cursor === undefined) return undefined;
    const bytes = Buffer.from(cursor, 'base64url');
    const mac = bytes.subarray(0, MAC_BYTES);
    const position = bytes.subarray(MAC_BYTES).toString('utf8');
    if (mac.length === MAC_BYTES && timingSafeEqual(mac, this.mac(list, position))) return position;
    throw invalidField(field, `${field} must be the nextCursor of a page of this list`);
  }

  /** Cuts what was read with one item more than asked for into a page. */
  page<T>(list: string, rows: T[], limit: number, positionOf: (last: T) => string): Page<T> {
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const more = rows.length > limit && last !== undefined;
    return { items, nextCursor: more ? this.encode(list, positionOf(last)) : null };
  }

  private mac(list: string, position: string): Buffer {
    return createHmac('sha256', this.key).update(`${list}\n${position}`).digest().subarray(0, MAC_BYTES);
  }
}
