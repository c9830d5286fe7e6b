import { createHmac } from 'node:crypto';

/** The keys that contacts are hashed with, as the configuration of a service has them (`config/contact-hash-key.ts`). */
export interface ContactHashKeys {
  contactHashKey: string;
  contactHashKeyPrevious?: string;
}

/** A contact as it is stored: its hash under the key of today, and under the key before, where there was one. */
export interface HashedContact {
  now: Buffer;
  before: Buffer | null;
}

/**
 * Puts the hash of a contact under the keys. All numbers that there are can be hashed in minutes, so a hash without a key is a number in
 * other words. What is keyed is the hash of before there was a key, because it is all that older rows have.
 */
export function keyedHash(keys: ContactHashKeys, hash: string): HashedContact {
  const { contactHashKey, contactHashKeyPrevious } = keys;
  const under = (key: string): Buffer => createHmac('sha256', key).update(hash).digest();
  return {
    now: under(contactHashKey),
    before: contactHashKeyPrevious === undefined ? null : under(contactHashKeyPrevious),
  };
}
