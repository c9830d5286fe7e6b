import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, test } from '@jest/globals';
import { authorityFromSeed } from './authority.js';

const VALIDITY = { from: new Date('2024-01-01T00:00:00Z'), until: new Date('2049-12-31T23:59:59Z') };
const seedOf = (words: string): Buffer => createHash('sha256').update(words).digest();

const HOSTS = ['localhost', '127.0.0.1', '::1', 'media.test'];

function made(words: string, hosts = HOSTS, permitted = hosts) {
  const root = { name: 'Test authority', seed: seedOf(`${words}/root`), hosts: permitted };
  const authority = authorityFromSeed(root, VALIDITY);
  const server = authority.issue({ name: 'Test server', seed: seedOf(`${words}/leaf`), hosts });
  return { authority: authority.cert, server };
}

const first = made('seed');
const [authority, server] = [new X509Certificate(first.authority), new X509Certificate(first.server.cert)];

test('the authority signs itself and the certificate of the server', () => {
  expect(authority.ca).toBe(true);
  expect(authority.verify(authority.publicKey)).toBe(true);
  expect(server.ca).toBe(false);
  expect(server.verify(authority.publicKey)).toBe(true);
  expect(server.checkIssued(authority)).toBe(true);
});

test.each(['127.0.0.1', '::1'])('the certificate is good for the address %s', (address) => {
  expect(server.checkIP(address)).toBe(address);
});

test.each(['localhost', 'media.test'])('the certificate is good for the name %s', (name) => {
  expect(server.checkHost(name)).toBe(name);
});

test('the certificate is good for no other host', () => {
  expect(server.checkHost('example.org')).toBeUndefined();
  expect(server.checkIP('127.0.0.2')).toBeUndefined();
});

test('an address of version 6 is written out in full', () => {
  const other = new X509Certificate(made('seed', ['fe80::1:2']).server.cert);
  expect(other.checkIP('fe80:0:0:0:0:0:1:2')).toBeDefined();
});

/** Connects to a server with this certificate, as somebody who trusts the authority. @returns why not, or none. */
async function refusalOf(
  { authority: ca, server }: ReturnType<typeof made>,
  servername: string,
): Promise<string> {
  const listener = createServer(server).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, ca, servername });
  try {
    await once(socket, 'secureConnect');
    return 'none';
  } catch (error) {
    return (error as Error).message;
  } finally {
    socket.destroy();
    listener.close();
  }
}

test('whoever trusts the authority trusts it for its hosts alone, whatever it signs', async () => {
  expect(await refusalOf(made('seed'), 'media.test')).toBe('none');
  for (const hosts of [['web.example.org'], ['media.test', 'web.example.org']])
    expect(await refusalOf(made('seed', hosts, HOSTS), 'web.example.org')).toBe(
      'permitted subtree violation',
    );
});

test('both certificates are valid for the time that was asked for, and have serial numbers of their own', () => {
  for (const certificate of [authority, server]) {
    expect(new Date(certificate.validFrom)).toEqual(VALIDITY.from);
    expect(new Date(certificate.validTo)).toEqual(VALIDITY.until);
    expect(certificate.serialNumber).toMatch(/^[4-7][\dA-F]{31}$/);
  }
  expect(server.serialNumber).not.toBe(authority.serialNumber);
});

test('the server may serve TLS and nothing else', () => {
  expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

test('one seed gives the same certificates every time, another one others', () => {
  expect(made('seed')).toEqual(first);
  expect(server.verify(new X509Certificate(made('other').authority).publicKey)).toBe(false);
});
