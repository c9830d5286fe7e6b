export { type Authority, authorityFromSeed, type ServerIdentity } from './authority.js';
export type { Validity } from './certificate.js';
export { selfSigned, type ServerCertificate } from './self-signed.js';
