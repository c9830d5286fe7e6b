import { createHash, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  Certificate,
  type Extension,
  Extensions,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity as ValidityFields,
  Version,
} from '@peculiar/asn1-x509';

const ED25519 = new AlgorithmIdentifier({ algorithm: '1.3.101.112' });
const COMMON_NAME = '2.5.4.3';
const SERIAL_BYTES = 16;

/** The time from and until which a certificate is valid. */
export interface Validity {
  from: Date;
  until: Date;
}

/** Issuer of a certificate: its name, and its Ed25519 private key. */
export interface Issuer {
  name: string;
  key: KeyObject;
}

/** Content of a certificate. */
export interface CertificateContent {
  subject: string;
  /** Private or public Ed25519 key of the subject. */
  key: KeyObject;
  validity: Validity;
  extensions: Extension[];
}

/** Signs a certificate and returns it as PEM; the same content gives the same bytes every time. */
export function signCertificate(issuer: Issuer, content: CertificateContent): string {
  const { subject, key, validity, extensions } = content;
  const name = nameOf(subject);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const signed = new TBSCertificate({
    version: Version.v3,
    serialNumber: arrayBufferOf(serialOf(name, publicKey)),
    signature: ED25519,
    issuer: nameOf(issuer.name),
    validity: new ValidityFields({ notBefore: validity.from, notAfter: validity.until }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey, SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signature = sign(null, Buffer.from(AsnConvert.serialize(signed)), issuer.key);
  const certificate = new Certificate({
    tbsCertificate: signed,
    signatureAlgorithm: ED25519,
    signatureValue: arrayBufferOf(signature),
  });
  return toPem(Buffer.from(AsnConvert.serialize(certificate)));
}

/** Computes sixteen bytes that read as a positive number without a leading zero, as RFC 5280 wants them. */
function serialOf(subject: Name, publicKey: Buffer): Buffer {
  const name = Buffer.from(AsnConvert.serialize(subject));
  const serial = createHash('sha256').update(name).update(publicKey).digest().subarray(0, SERIAL_BYTES);
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  return serial;
}

const nameOf = (commonName: string): Name => {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
};

/** Copies the bytes: a view of a pooled buffer would bring the whole pool along. */
const arrayBufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
