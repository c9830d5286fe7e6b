import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { type KeyPair, sign } from './keys.js';

const { CertChain } = proto;
const { Details } = CertChain.NoiseCertificate;

/** Serial that the client demands of the issuer of the intermediate certificate. */
const ROOT_SERIAL = 0;
const INTERMEDIATE_SERIAL = 1;
const LEAF_SERIAL = 2;
const TEN_YEARS_S = 10 * 365 * 86_400;

/** Makes the certificate chain: root signs intermediate, intermediate signs the key used in the handshake. */
export function certificateChain(
  root: KeyPair,
  intermediate: KeyPair,
  leafKey: Buffer,
  now = Date.now(),
): Buffer {
  const notBefore = Math.floor(now / 1000) - 86_400;
  const notAfter = notBefore + TEN_YEARS_S;
  const details = (serial: number, issuerSerial: number, key: Buffer): Uint8Array =>
    Details.encode({ serial, issuerSerial, key, notBefore, notAfter }).finish();
  const intermediateDetails = details(INTERMEDIATE_SERIAL, ROOT_SERIAL, intermediate.public);
  const leafDetails = details(LEAF_SERIAL, INTERMEDIATE_SERIAL, leafKey);
  const chain = CertChain.encode({
    intermediate: { details: intermediateDetails, signature: sign(root.private, intermediateDetails) },
    leaf: { details: leafDetails, signature: sign(intermediate.private, leafDetails) },
  });
  return Buffer.from(chain.finish());
}
