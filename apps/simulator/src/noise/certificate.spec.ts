import { expect, test } from '@jest/globals';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { Initiator } from '../../test/support/raw-client.js';
import { Authority } from './authority.js';
import { randomKeyPair, verify } from './keys.js';

const { CertChain } = proto;
const { Details } = CertChain.NoiseCertificate;

const certificateOf = ({ details, signature }: proto.CertChain.INoiseCertificate) => {
  const bytes = details ?? new Uint8Array();
  const { key, ...fields } = Details.decode(bytes);
  return { ...fields, key: Buffer.from(key ?? []), bytes, signature: signature ?? new Uint8Array() };
};

const chainOf = (authority: Authority) => {
  const initiator = new Initiator(randomKeyPair());
  const { identity, certificate } = initiator.read(authority.responder().hello(initiator.hello()).frame);
  const { leaf, intermediate } = CertChain.decode(certificate);
  if (!leaf || !intermediate) throw new Error('the chain is incomplete');
  return { identity, leaf: certificateOf(leaf), intermediate: certificateOf(intermediate) };
};

test('leads from the trust root over the intermediate to the key of the handshake', () => {
  const authority = new Authority('certificate');
  const { identity, leaf, intermediate } = chainOf(authority);
  const root = Buffer.from(authority.trustRoot, 'hex');
  expect(verify(root, intermediate.bytes, intermediate.signature)).toBe(true);
  expect(verify(intermediate.key, leaf.bytes, leaf.signature)).toBe(true);
  expect(leaf.key).toEqual(identity);
});

test('names the issuer that the client insists on, and is valid now', () => {
  const { leaf, intermediate } = chainOf(new Authority('certificate'));
  const now = Math.floor(Date.now() / 1000);
  expect(intermediate.issuerSerial).toBe(0);
  expect(leaf.issuerSerial).toBe(intermediate.serial);
  for (const { notBefore, notAfter } of [leaf, intermediate]) {
    expect(Number(notBefore)).toBeLessThan(now);
    expect(Number(notAfter)).toBeGreaterThan(now);
  }
});

test('does not hold under another root', () => {
  const { intermediate } = chainOf(new Authority('certificate'));
  const other = Buffer.from(new Authority('another').trustRoot, 'hex');
  expect(verify(other, intermediate.bytes, intermediate.signature)).toBe(false);
});

test('has the same root for the same seed', () => {
  expect(new Authority('seed').trustRoot).toBe(new Authority('seed').trustRoot);
});
