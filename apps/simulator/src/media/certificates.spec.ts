import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hmac } from '../noise/keys.js';
import { mediaCertificates } from './certificates.js';

const secret = (label: string): Buffer => hmac(Buffer.from('seed'), label);

test('the media host shows a certificate of the authority, for the loopback and the host it listens on', () => {
  const { authority, server } = mediaCertificates(secret, 'media.test');
  const shown = new X509Certificate(server.cert);
  expect(shown.verify(new X509Certificate(authority).publicKey)).toBe(true);
  expect(['localhost', 'media.test'].map((name) => shown.checkHost(name))).toEqual([
    'localhost',
    'media.test',
  ]);
  expect(['127.0.0.1', '::1'].map((address) => shown.checkIP(address))).toEqual(['127.0.0.1', '::1']);
});

test('one seed gives the same certificates after every start', () => {
  expect(mediaCertificates(secret, 'media.test')).toEqual(mediaCertificates(secret, 'media.test'));
});
