import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';

const extension = (extnID: string, value: object, critical = false): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

/** Makes the extensions that let a key sign certificates and lists of revoked ones. */
export const authorityExtensions = (): Extension[] => [
  extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
  extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
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
