import { X509Certificate } from 'node:crypto';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { selfSigned, type ServerCertificate } from './self-signed.js';

/** Resolves with the status, or with the code of the error that the client meets. */
async function ask(
  shown: ServerCertificate,
  trusted: string,
  host: string,
): Promise<number | string | undefined> {
  const server = createServer(shown, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const request = get({ host: '127.0.0.1', port, servername: host, ca: trusted, agent: false });
      request.once('response', (response) => resolve(response.resume().statusCode));
      request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a client that trusts the certificate accepts the server that shows it', async () => {
  const shown = selfSigned('receiver.example');
  expect(await ask(shown, shown.cert, 'receiver.example')).toBe(200);
});

test('a client refuses the certificate of another name, of nobody it trusts, and of a time that is over', async () => {
  const shown = selfSigned('receiver.example');
  expect(await ask(shown, shown.cert, 'elsewhere.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await ask(shown, selfSigned('other.example').cert, 'receiver.example')).toMatch(/SELF_SIGNED/);
  const expired = selfSigned('receiver.example', new Date(Date.now() - 60_000));
  expect(await ask(expired, expired.cert, 'receiver.example')).toBe('CERT_HAS_EXPIRED');
});

test.each(['127.0.0.1', '::1'])('a certificate may be for the address %s', (address) => {
  const certificate = new X509Certificate(selfSigned(address).cert);
  expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkIP('127.0.0.9')).toBeUndefined();
});

test('every certificate has a key of its own', () => {
  const [first, second] = [selfSigned('a.example'), selfSigned('a.example')];
  expect(first.key).not.toBe(second.key);
  expect(new X509Certificate(second.cert).verify(new X509Certificate(first.cert).publicKey)).toBe(false);
});
