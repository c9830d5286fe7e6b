import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPublicAddress } from './public-address.js';

test.each([
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.255', '::1', '::'],
  ['link-local and metadata', '169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::1', 'febf::1'],
  [
    'documentation and benchmarks',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '198.19.255.255',
    '2001:db8::1',
    '3fff::1',
  ],
  [
    'protocol assignments',
    '192.0.0.8',
    '192.88.99.1',
    '2001::1',
    '2001:1ff::1',
    '2002::1',
    '100::1',
    '5f00::1',
  ],
  ['multicast and reserved', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  ['the cloud’s own', '168.63.129.16'],
  ['unique local', 'fc00::1', 'fd00:ec2::254', 'fdff::1', 'fec0::1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  [
    'IPv4 in IPv6',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:10.0.0.1',
    '::127.0.0.1',
  ],
  ['with a zone', 'fe80::1%eth0', '2606:4700::1111%lo'],
  ['no address', '', 'localhost', '127.1', '0x7f.0.0.1', '1.2.3.4.5', '::g'],
])('refuses %s', (_, ...addresses) => {
  for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '2001:200::1',
  '2001:db7::1',
  '2003::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '3ffe::1',
])('lets %s through', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('sees an IPv4 address the same way however it is written inside IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), (v4) => {
      const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const spelling of [`::ffff:${v4}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`, `0000::ffff:${v4}`]) {
        expect([spelling, isPublicAddress(spelling)]).toEqual([spelling, isPublicAddress(v4)]);
      }
    }),
  );
});

test('never fails, and lets nothing outside 2000::/3 through, for any IPv6 address', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const first = parseInt(address.split(':')[0] || '0', 16);
      const mapped = /^(0*:)*:?(0*:)*ffff:/i.test(address);
      if (isPublicAddress(address) && !mapped) expect(first >> 13).toBe(1);
    }),
  );
});
