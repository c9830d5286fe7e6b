import { authorityFromSeed, type ServerCertificate } from '@svc/certificates';

/** The validity is fixed, so that one seed always gives the same bytes. */
const VALIDITY = { from: new Date('2024-01-01T00:00:00Z'), until: new Date('2049-12-31T23:59:59Z') };
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** Certificates of the media host, and the authority by which clients trust it. */
export interface Certificates {
  /** Certificate that clients have to trust, as PEM. */
  authority: string;
  /** Key and certificate that the media host shows. */
  server: ServerCertificate;
}

/** Makes the certificates of the media host; all keys follow from the platform's secrets. */
export function mediaCertificates(secret: (label: string) => Buffer, host: string): Certificates {
  const hosts = [...new Set([...LOOPBACK, host])];
  const identity = { name: 'Platform simulator', seed: secret('media/authority'), hosts };
  const authority = authorityFromSeed(identity, VALIDITY);
  const server = authority.issue({ name: 'Media host', seed: secret('media/leaf'), hosts });
  return { authority: authority.cert, server };
}
