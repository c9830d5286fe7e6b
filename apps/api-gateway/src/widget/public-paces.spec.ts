import { expect, test } from '@jest/globals';
import { visitorOf } from './public-paces.js';

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0:0:0:1'],
  ['2001:db8::1', '2001:db8:0:0:5::'],
  ['fe80::1%eth0', 'fe80::2'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
])('%s and %s are one visitor', (one, other) => {
  expect(visitorOf(one)).toBe(visitorOf(other));
});

test.each([
  ['192.0.2.1', '192.0.2.2'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['::1', '1::1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
])('%s and %s are two', (one, other) => {
  expect(visitorOf(one)).not.toBe(visitorOf(other));
});
