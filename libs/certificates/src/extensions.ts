import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  NameConstraints,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';

const extension = (extnID: string, value: object, critical = false): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

/** Makes the extensions that let a key sign certificates for these hosts, and for no other. */
export const authorityExtensions = (hosts: readonly string[]): Extension[] => [
  extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
  extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
  extension(
    id_ce_nameConstraints,
    new NameConstraints({ permittedSubtrees: new GeneralSubtrees(hosts.map(subtree)) }),
    true,
  ),
];

/** Makes the extensions that let a key serve TLS under some names and addresses. */
export const serverExtensions = (hosts: readonly string[]): Extension[] => [
  extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
  extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
  hostNames(hosts),
];

/** Makes the extension with the names and addresses, of either version, that a certificate is good for. */
export const hostNames = (hosts: readonly string[]): Extension =>
  extension(id_ce_subjectAltName, new SubjectAlternativeName(hosts.map(generalName)));

const generalName = (host: string): GeneralName =>
  new GeneralName(isIP(host) === 0 ? { dNSName: host } : { iPAddress: host });

const subtree = (host: string): GeneralSubtree => {
  const base = generalName(host);
  if (base.iPAddress === undefined) return new GeneralSubtree({ base });
  // An address in a constraint has a mask (RFC 5280, 4.2.1.10).
  return new GeneralSubtree({
    base: new GeneralName({ iPAddress: `${host}/${isIP(host) === 4 ? 32 : 128}` }),
  });
};
