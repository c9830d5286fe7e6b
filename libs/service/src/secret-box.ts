import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Where a secret lies, from the table down to the row, e.g. `['webhook_endpoint', 'secret_enc', tenantId, id]`. It is
 * bound into the sealed value: one that is copied to another row does not open.
 */
export type SecretPlace = readonly string[];

/** Encrypts secrets at rest with AES-256-GCM. Layout: version byte, nonce (12), tag (16), ciphertext. */
export class SecretBox {
  private readonly key: Buffer;

  /** @param key 32 bytes, or their base64. */
  constructor(key: string | Uint8Array) {
    this.key = typeof key === 'string' ? Buffer.from(key, 'base64') : Buffer.from(key);
  }

  /** Never gives the same bytes twice. */
  seal(secret: Uint8Array, place: SecretPlace): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associated(place));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), text]);
  }

  /** @throws Error where the key, the place or a byte is another than at sealing. */
  open(sealed: Buffer, place: SecretPlace): Buffer {
    if (sealed[0] !== VERSION) throw new Error('The secret is sealed in an unknown format.');
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associated(place));
    decipher.setAuthTag(tag);
    const text = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]);
  }
}

/** As JSON, because a part may hold any character: no two places read the same. */
function associated(place: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify(place));
}
