import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** Rounds of PBKDF2, as PostgreSQL takes them (`scram_iterations`). */
const ROUNDS = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Makes of a password what PostgreSQL keeps of it and checks logins by (RFC 5802, RFC 7677). A server takes it in place of the password, which
 * then stands neither in a statement nor in a log of statements.
 * @param password of ASCII characters, which SASLprep leaves as they are
 */
export function scramVerifier(password: string, salt = randomBytes(SALT_BYTES)): string {
  const salted = pbkdf2Sync(password, salt, ROUNDS, KEY_BYTES, 'sha256');
  const keyOf = (use: string): Buffer => createHmac('sha256', salted).update(use).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
