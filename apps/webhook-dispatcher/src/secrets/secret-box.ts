import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Where a secret lives: bound into the ciphertext, so that one copied to another row does not open. */
export interface SecretPlace {
  table: string;
  column: string;
  tenantId: string;
  id: string;
}

/** Encrypts secrets at rest: AES-256-GCM; format: version byte, nonce, tag, ciphertext. */
export class SecretBox {
  private readonly key: Buffer;

  /** @param key 32 bytes in base64. */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
  }

  seal(secret: string, place: SecretPlace): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(associated(place));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), text]);
  }

  /** @throws Error where the key, the row or a byte is another than at sealing. */
  open(sealed: Buffer, place: SecretPlace): string {
    if (sealed[0] !== VERSION) throw new Error('The secret is sealed in an unknown format.');
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associated(place));
    decipher.setAuthTag(tag);
    const text = decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }
}

function associated({ table, column, tenantId, id }: SecretPlace): Buffer {
  return Buffer.from([table, column, tenantId, id].join('|'), 'utf8');
}
