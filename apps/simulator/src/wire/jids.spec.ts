import { expect, test } from '@jest/globals';
import { bareJid, lidJid, parseJid, phoneJid } from './jids.js';

test('addresses name the device unless it is the phone', () => {
  expect(phoneJid('4915550001000')).toBe('4915550001000@s.whatsapp.net');
  expect(phoneJid('4915550001000', 2)).toBe('4915550001000:2@s.whatsapp.net');
  expect(lidJid('100000000000001', 2)).toBe('100000000000001:2@lid');
});

test('addresses are taken apart', () => {
  const address = parseJid('100000000000001:2@lid');
  expect(address).toEqual({ user: '100000000000001', device: 2, domain: 'lid' });
  expect(address && bareJid(address)).toBe('100000000000001@lid');
  expect(parseJid('4915550001000_1:7@s.whatsapp.net')).toMatchObject({ user: '4915550001000', device: 7 });
});

test.each([undefined, '', '@s.whatsapp.net', 'name@s.whatsapp.net', '49@', '49', '1:2:3@lid', '49@lid\n'])(
  'is no address: %j',
  (jid) => expect(parseJid(jid)).toBeUndefined(),
);
