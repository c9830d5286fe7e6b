import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** Layout: format, nonce, tag, ciphertext. Values of earlier releases are opened, none is sealed so. */
const WITHOUT_KEY_ID = 1;
/** Layout: format, key id, nonce, tag, ciphertext. */
const WITH_KEY_ID = 2;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Place of a secret, from the table down to the row, e.g. `['webhook_endpoint', 'secret_enc', tenantId, id]`. It is bound into the sealed
 * value: one that is copied to another row does not open.
 */
export type SecretPlace = readonly string[];

/** A key, and the id that values sealed with it carry. */
export interface SecretKey {
  id: Buffer;
  bytes: Buffer;
}

/** A key as it is configured: 32 bytes, or their base64. */
export type SecretKeyBytes = string | Uint8Array;

/**
 * Makes a key. Its id follows from the key itself, so that nobody has to configure ids.
 * @param master where the key is derived from another: the values carry the id of that one, because that one is configured and changed.
 */
export function secretKey(key: SecretKeyBytes, master: SecretKeyBytes = key): SecretKey {
  const id = createHash('sha256').update('svc key id').update(bytesOf(master)).digest();
  return { id: id.subarray(0, KEY_ID_BYTES), bytes: bytesOf(key) };
}

/**
 * Encrypts secrets at rest with AES-256-GCM. A sealed value carries the id of its key, so that a key can be changed: what was sealed with
 * the one before opens as long as that one is given, too.
 */
export class SecretBox {
  private readonly key: SecretKey;
  private readonly keys = new Map<string, SecretKey>();

  /**
   * @param key seals and opens.
   * @param predecessors open what was sealed with them.
   */
  constructor(key: SecretKeyBytes | SecretKey, ...predecessors: (SecretKeyBytes | SecretKey)[]) {
    this.key = keyOf(key);
    for (const one of [this.key, ...predecessors.map(keyOf)]) {
      const id = one.id.toString('hex');
      if (this.keys.get(id)?.bytes.equals(one.bytes) === false)
        throw new Error('Two keys for secrets have the same id.');
      this.keys.set(id, one);
    }
  }

  /** Seals a secret; never gives the same bytes twice. */
  seal(secret: Uint8Array, place: SecretPlace): Buffer {
    const header = headerOf(this.key);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.concat([header, associated(place)]));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([header, nonce, cipher.getAuthTag(), text]);
  }

  /** @throws Error where the key is not given here, and where the key, the place or a byte is another than at sealing. */
  open(sealed: Buffer, place: SecretPlace): Buffer {
    if (sealed[0] === WITHOUT_KEY_ID) return this.openWithAny(sealed.subarray(1), associated(place));
    if (sealed[0] !== WITH_KEY_ID) throw new Error('The secret is sealed in an unknown format.');
    const header = sealed.subarray(0, 1 + KEY_ID_BYTES);
    const id = header.subarray(1).toString('hex');
    const key = this.keys.get(id);
    if (!key) throw new Error(`The secret is sealed with a key that is not configured (id ${id}).`);
    return decrypt(key, sealed.subarray(header.length), Buffer.concat([header, associated(place)]));
  }

  /**
   * Seals anew what another key has sealed.
   * @returns undefined where the key of this box has sealed it.
   * @throws Error as `open` does.
   */
  reseal(sealed: Buffer, place: SecretPlace): Buffer | undefined {
    const header = headerOf(this.key);
    if (sealed.subarray(0, header.length).equals(header)) return undefined;
    return this.seal(this.open(sealed, place), place);
  }

  private openWithAny(sealed: Buffer, aad: Buffer): Buffer {
    let failure: unknown;
    for (const key of this.keys.values()) {
      try {
        return decrypt(key, sealed, aad);
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }
}

/** Makes the first bytes of what a key seals. */
export function headerOf({ id }: SecretKey): Buffer {
  return Buffer.concat([Buffer.of(WITH_KEY_ID), id]);
}

function decrypt(key: SecretKey, sealed: Buffer, aad: Buffer): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([text, decipher.final()]);
}

/** Writes a place as JSON, because a part may hold any character: no two places read the same. */
function associated(place: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify(place));
}

function bytesOf(key: SecretKeyBytes): Buffer {
  return typeof key === 'string' ? Buffer.from(key, 'base64') : Buffer.from(key);
}

function keyOf(key: SecretKeyBytes | SecretKey): SecretKey {
  return typeof key === 'object' && 'bytes' in key ? key : secretKey(key);
}
