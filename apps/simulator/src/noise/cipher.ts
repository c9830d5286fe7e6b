import { createCipheriv, createDecipheriv } from 'node:crypto';

const TAG_LENGTH = 16;
const EMPTY = Buffer.alloc(0);

const nonce = (counter: number): Buffer => {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
};

/** This class encrypts or decrypts one direction, by AES-256-GCM with a counting nonce. */
export class CountingCipher {
  private counter = 0;

  constructor(private readonly key: Uint8Array) {}

  encrypt(plaintext: Uint8Array, associated: Uint8Array = EMPTY): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce(this.counter++));
    cipher.setAAD(associated);
    return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }

  decrypt(ciphertext: Uint8Array, associated: Uint8Array = EMPTY): Buffer {
    const bodyLength = ciphertext.length - TAG_LENGTH;
    if (bodyLength < 0) throw new Error('the ciphertext is shorter than its tag');
    const decipher = createDecipheriv('aes-256-gcm', this.key, nonce(this.counter++));
    decipher.setAAD(associated);
    decipher.setAuthTag(ciphertext.subarray(bodyLength));
    return Buffer.concat([decipher.update(ciphertext.subarray(0, bodyLength)), decipher.final()]);
  }
}

/** Ciphers of both directions after the handshake. */
export interface Transport {
  incoming: CountingCipher;
  outgoing: CountingCipher;
}
