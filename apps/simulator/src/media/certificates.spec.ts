import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hmac } from '../noise/keys.js';
import { makeCertificates } from './certificates.js';

const secret = (label: string): Buffer => hmac(Buffer.from('seed'), label);
const made = makeCertificates(secret, 'media.test');
const [authority, leaf] = [new X509Certificate(made.authority), new X509Certificate(made.leaf.certificate)];

test('the authority signs itself and the certificate of the host', () => {
  expect(authority.ca).toBe(true);
  expect(authority.verify(authority.publicKey)).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.verify(authority.publicKey)).toBe(true);
  expect(leaf.checkIssued(authority)).toBe(true);
});

test.each(['127.0.0.1', '::1'])('the certificate is good for %s', (address) => {
  expect(leaf.checkIP(address)).toBe(address);
});

test.each(['localhost', 'media.test'])('the certificate is good for %s', (name) => {
  expect(leaf.checkHost(name)).toBe(name);
});

test('the certificate is good for no other host', () => {
  expect(leaf.checkHost('example.org')).toBeUndefined();
  expect(leaf.checkIP('127.0.0.2')).toBeUndefined();
});

test('an address of version 6 is written out in full', () => {
  const other = new X509Certificate(makeCertificates(secret, 'fe80::1:2').leaf.certificate);
  expect(other.checkIP('fe80:0:0:0:0:0:1:2')).toBeDefined();
});

test('one seed gives the same certificates every time, another one others', () => {
  expect(makeCertificates(secret, 'media.test')).toEqual(made);
  const foreign = makeCertificates((label) => hmac(Buffer.from('other'), label), 'media.test');
  expect(leaf.verify(new X509Certificate(foreign.authority).publicKey)).toBe(false);
});
