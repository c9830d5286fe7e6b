import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { signCertificate } from './certificate.js';
import { hostNames } from './extensions.js';

const DAY_MS = 24 * 3_600_000;

/** A private key and its certificate, both as PEM, named as Node's TLS options name them. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

/**
 * Makes a key and a certificate for one name or address, signed by that key. A client that trusts this certificate
 * accepts it: it is its own authority.
 * @param until when it stops being valid; tomorrow by default. It is valid from thirty days before.
 */
export function selfSigned(host: string, until = new Date(Date.now() + DAY_MS)): ServerCertificate {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  const validity = { from: new Date(until.getTime() - 30 * DAY_MS), until };
  const content = { subject: host, key, validity, extensions: [hostNames([host])] };
  return { key: pemOf(key), cert: signCertificate({ name: host, key }, content) };
}

/** Writes a private key as PEM. */
export const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
