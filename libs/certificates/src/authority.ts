import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type Issuer, signCertificate, type Validity } from './certificate.js';
import { authorityExtensions, serverExtensions } from './extensions.js';
import { pemOf, type ServerCertificate } from './self-signed.js';

/** Heading that PKCS #8 puts in front of the 32 bytes of an Ed25519 key. */
const PRIVATE_KEY_HEADING = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A name, and the 32 bytes that its key follows from. */
export interface Identity {
  name: string;
  seed: Uint8Array;
}

/** A server, or an authority of servers: its identity, and the names and addresses that clients reach it by. */
export interface ServerIdentity extends Identity {
  hosts: readonly string[];
}

/** An authority: the certificate that clients have to trust, and what it signs. */
export interface Authority {
  /** The authority's own certificate, as PEM. */
  cert: string;
  /** Signs a certificate for a server; the same identity gives the same bytes every time. */
  issue(server: ServerIdentity): ServerCertificate;
}

/**
 * Makes an authority whose keys and certificates follow from seeds, so that clients can store it once. It speaks for its hosts alone: what it
 * signs for another is worth nothing to those who trust it.
 */
export function authorityFromSeed({ name, seed, hosts }: ServerIdentity, validity: Validity): Authority {
  const key = keyFrom(seed);
  const issuer: Issuer = { name, key };
  return {
    cert: signCertificate(issuer, { subject: name, key, validity, extensions: authorityExtensions(hosts) }),
    issue: (server) => {
      const serverKey = keyFrom(server.seed);
      const extensions = serverExtensions(server.hosts);
      const content = { subject: server.name, key: serverKey, validity, extensions };
      return { key: pemOf(serverKey), cert: signCertificate(issuer, content) };
    },
  };
}

const keyFrom = (seed: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_HEADING, seed]), format: 'der', type: 'pkcs8' });
