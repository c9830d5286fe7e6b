import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Where a secret lies: bound into it, so that it opens nowhere else. */
export interface Place {
  sessionId: string;
  table: 'credential' | 'signal_key';
  /** Key of the row within the session. */
  row: string;
}

/**
 * Seals the secrets of sessions with AES-256-GCM. Each session has a key of its own, derived from the master key, so the
 * number of writes under one key stays small; table, session and row are authenticated with the value, so a row that is
 * copied to another place does not open (design: limits, "Secrets at rest").
 */
export class Vault {
  private readonly keys = new Map<string, Buffer>();

  /** @param masterKey 32 bytes in base64. */
  constructor(private readonly masterKey: string) {}

  /** Layout: version, nonce, ciphertext, tag. */
  seal(place: Place, plain: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(place.sessionId), nonce, {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(associated(place));
    return Buffer.concat([
      Buffer.of(VERSION),
      nonce,
      cipher.update(plain),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
  }

  /** @throws Error when the value was altered, lies elsewhere, or was sealed with another master key. */
  open(place: Place, sealed: Buffer): Buffer {
    if (sealed[0] !== VERSION) throw new Error(`Unknown version of a sealed value in ${place.table}`);
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const body = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(place.sessionId), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associated(place));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(body), decipher.final()]);
  }

  /** Drops the derived key of a session that this process no longer holds. */
  forget(sessionId: string): void {
    this.keys.delete(sessionId);
  }

  private keyOf(sessionId: string): Buffer {
    let key = this.keys.get(sessionId);
    if (!key) {
      const master = Buffer.from(this.masterKey, 'base64');
      key = Buffer.from(hkdfSync('sha256', master, sessionId, 'session-secrets', 32));
      this.keys.set(sessionId, key);
    }
    return key;
  }
}

function associated({ table, sessionId, row }: Place): Buffer {
  return Buffer.from([table, 'sealed', sessionId, row].join('|'));
}
