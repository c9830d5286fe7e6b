import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { sha256 } from '../noise/keys.js';
import { bits, boolean, field, integer, octets, oid, plainField, sequence, set, time, utf8 } from './der.js';

const ED25519 = sequence(oid('2b6570'));
const COMMON_NAME = '550403';
const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';
const EXTENDED_KEY_USAGE = '551d25';
const ALTERNATIVE_NAMES = '551d11';
const SERVER_AUTHENTICATION = '2b06010505070301';
const PRIVATE_KEY_HEADING = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Fixed, so that one seed always gives the same bytes. */
const VALIDITY = sequence(time('240101000000Z'), time('491231235959Z'));
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** A key with its certificate, both as PEM. */
export interface Certificate {
  key: string;
  certificate: string;
}

export interface Certificates {
  /** What a client has to trust. */
  authority: string;
  /** What the host shows. */
  leaf: Certificate;
}

/** An authority of its own and a certificate for the host; both follow from the secrets. */
export function makeCertificates(secret: (label: string) => Buffer, host: string): Certificates {
  const [root, leaf] = [keyFrom(secret('media/authority')), keyFrom(secret('media/leaf'))];
  const names = [...new Set([...LOOPBACK, host])];
  const issuer = nameOf('Platform simulator');
  const authority = certificate(root, { issuer, subject: issuer, key: root }, [
    extension(BASIC_CONSTRAINTS, sequence(boolean(true)), true),
    // Bits 5 and 6: signs certificates and lists of revoked ones.
    extension(KEY_USAGE, bits(Buffer.from([0b0000_0110]), 1), true),
  ]);
  const shown = certificate(root, { issuer, subject: nameOf('Media host'), key: leaf }, [
    extension(KEY_USAGE, bits(Buffer.from([0b1000_0000]), 7), true),
    extension(EXTENDED_KEY_USAGE, sequence(oid(SERVER_AUTHENTICATION))),
    extension(ALTERNATIVE_NAMES, sequence(...names.map(alternativeName))),
  ]);
  const key = leaf.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { authority, leaf: { key, certificate: shown } };
}

const keyFrom = (secret: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_HEADING, secret]), format: 'der', type: 'pkcs8' });

function certificate(
  signer: KeyObject,
  { issuer, subject, key }: { issuer: Buffer; subject: Buffer; key: KeyObject },
  extensions: Buffer[],
): string {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const version3 = field(0, integer(Buffer.from([2])));
  const content = sequence(
    version3,
    integer(serialOf(subject, publicKey)),
    ED25519,
    issuer,
    VALIDITY,
    subject,
    publicKey,
    field(3, sequence(...extensions)),
  );
  const signed = sequence(content, ED25519, bits(sign(null, content, signer)));
  const lines = signed.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Sixteen bytes that read as a positive number without a leading zero. */
function serialOf(subject: Buffer, publicKey: Buffer): Buffer {
  const serial = Buffer.from(sha256(Buffer.concat([subject, publicKey])).subarray(0, 16));
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  return serial;
}

const nameOf = (commonName: string): Buffer => sequence(set(sequence(oid(COMMON_NAME), utf8(commonName))));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));

/** By address or by name: field 7 or 2. */
function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return plainField(7, Buffer.from(host.split('.').map(Number)));
  if (isIP(host) === 6) return plainField(7, addressBytes(host));
  return plainField(2, Buffer.from(host));
}

function addressBytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
