import { expect, test } from '@jest/globals';
import { parseQr } from './qr.js';

const KEYS = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
const FIELDS = ['2@ref', ...KEYS.map((key) => key.toString('base64'))].join(',');

test.each([
  ['the present form', `https://wa.me/settings/linked_devices#${FIELDS},1`],
  ['the older form', FIELDS],
  ['a form with white space around it', ` ${FIELDS}\n`],
])('reads %s', (_what, text) => {
  const [noiseKey, identity, advSecret] = KEYS;
  expect(parseQr(text)).toEqual({ ref: '2@ref', noiseKey, identity, advSecret });
});

test.each(['', 'hello', 'https://example.org/', '2@ref,AAAA,AAAA,AAAA', FIELDS.slice(0, -10), `,${FIELDS}`])(
  'does not take %j for a QR code',
  (text) => expect(parseQr(text)).toBeUndefined(),
);
