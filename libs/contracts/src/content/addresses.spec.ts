import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Address,
  bareAddress,
  digitsOf,
  formatAddress,
  hiddenAddress,
  isGroup,
  isHidden,
  isPerson,
  isUsual,
  parseAddress,
  phoneAddress,
  phoneOf,
} from './addresses.js';

const PHONE = '4915112345678@s.whatsapp.net';
const HIDDEN = '100473554234852@lid';
const GROUP = '120363041234567890@g.us';

describe('an address', () => {
  test.each<[string, Address]>([
    [PHONE, { kind: 'phone', user: '4915112345678', device: 0 }],
    ['4915112345678:12@s.whatsapp.net', { kind: 'phone', user: '4915112345678', device: 12 }],
    ['4915112345678_1:7@s.whatsapp.net', { kind: 'phone', user: '4915112345678', device: 7, agent: 1 }],
    ['4915112345678_128@s.whatsapp.net', { kind: 'phone', user: '4915112345678', device: 0, agent: 128 }],
    ['4915112345678@c.us', { kind: 'phone', user: '4915112345678', device: 0 }],
    ['4915112345678:99@hosted', { kind: 'phone', user: '4915112345678', device: 99 }],
    [HIDDEN, { kind: 'hidden', user: '100473554234852', device: 0 }],
    ['100473554234852:99@hosted.lid', { kind: 'hidden', user: '100473554234852', device: 99 }],
    ['100473554234852:3@lid', { kind: 'hidden', user: '100473554234852', device: 3 }],
    [GROUP, { kind: 'group', user: '120363041234567890', device: 0 }],
    ['4915112345678-1400000000@g.us', { kind: 'group', user: '4915112345678-1400000000', device: 0 }],
    ['120363041234567890@newsletter', { kind: 'newsletter', user: '120363041234567890', device: 0 }],
    ['status@broadcast', { kind: 'broadcast', user: 'status', device: 0 }],
    ['1400000000@broadcast', { kind: 'broadcast', user: '1400000000', device: 0 }],
  ])('is taken apart: %s', (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  test.each([
    ...[undefined, '', '@s.whatsapp.net', 'name@s.whatsapp.net', '49@', '49', '1:2:3@lid', '49@lid\n'],
    ...['+4915112345678@s.whatsapp.net', '49151@s.whatsapp.net.evil.example', '1@2@lid', ' 49@lid', '49@LID'],
    ...['a1@newsletter', '1a@newsletter', '49151_1234@s.whatsapp.net', '123456789012345678901@lid'],
    ...['120363041234567890:1@g.us', 'status:1@broadcast', '49151@constructor', '49:123456@lid', '-1@g.us'],
  ])('is none of the platform: %j', (text) => {
    expect(parseAddress(text)).toBeUndefined();
    expect(bareAddress(text)).toBeUndefined();
    expect([isGroup(text), isPerson(text), isHidden(text)]).toEqual([false, false, false]);
    expect(phoneOf(text)).toBeNull();
  });

  test('is the same one after it was taken apart and written again', () => {
    const device = fc.integer({ min: 0, max: 99_999 });
    const person = fc.record({
      kind: fc.constantFrom('phone' as const, 'hidden' as const),
      user: fc.stringMatching(/^\d{1,20}$/),
      device,
    });
    const group = fc.record({
      kind: fc.constant('group' as const),
      user: fc.stringMatching(/^\d{1,25}(-\d{1,20})?$/),
      device: fc.constant(0),
    });
    fc.assert(
      fc.property(fc.oneof(person, group), (address) => {
        expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  test('is an address or none, whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9:_@a-z.-]{1,40}$/)), (text) => {
        const address = parseAddress(text);
        if (address && address.agent === undefined && !/:0/.test(text))
          expect(formatAddress(address)).toBe(text);
      }),
    );
  });
});

describe('of an address', () => {
  test('the device is dropped, and the agent', () => {
    expect(bareAddress('4915112345678:12@s.whatsapp.net')).toBe(PHONE);
    expect(bareAddress('100473554234852_2:3@lid')).toBe(HIDDEN);
    expect(bareAddress(GROUP)).toBe(GROUP);
  });

  test('the number is told where it is not hidden', () => {
    expect(phoneOf('4915112345678:12@s.whatsapp.net')).toBe('+4915112345678');
    expect(digitsOf(PHONE)).toBe('4915112345678');
    expect([phoneOf(HIDDEN), phoneOf(GROUP)]).toEqual([null, null]);
    expect(digitsOf(GROUP)).toBeUndefined();
  });

  test('it is told whether it is a person or a group', () => {
    expect([PHONE, HIDDEN, GROUP, 'status@broadcast'].map(isPerson)).toEqual([true, true, false, false]);
    expect([PHONE, HIDDEN, GROUP, 'status@broadcast'].map(isGroup)).toEqual([false, false, true, false]);
    expect([PHONE, HIDDEN, GROUP, '1@newsletter'].map(isHidden)).toEqual([false, true, false, false]);
  });

  test.each([
    ...[PHONE, '1234567:12@s.whatsapp.net', HIDDEN, '12345@lid', GROUP, '4915112345678-1400000000@g.us'],
  ])('it is usual that somebody names a chat by it: %s', (text) => {
    expect(isUsual(parseAddress(text) as Address)).toBe(true);
  });

  test.each([
    ...['123456@s.whatsapp.net', '1234567890123456@s.whatsapp.net', '1234@lid', '1234@g.us'],
    ...[
      '12345-1234@g.us',
      '1234-1400000000@g.us',
      '4915112345678_1@s.whatsapp.net',
      'status@broadcast',
      '120363041234567890@newsletter',
    ],
  ])('it is not usual: %s', (text) => {
    expect(isUsual(parseAddress(text) as Address)).toBe(false);
  });

  test.each(['phone', 'hidden', 'group'] as const)('it is not usual with more than digits: %s', (kind) => {
    for (const user of ['a4915112345678', '4915112345678a'])
      expect(isUsual({ kind, user, device: 0 })).toBe(false);
  });
});

test('addresses are made of numbers and of what hides them', () => {
  expect(phoneAddress('4915112345678')).toBe(PHONE);
  expect(phoneAddress('4915112345678', 2)).toBe('4915112345678:2@s.whatsapp.net');
  expect(hiddenAddress('100473554234852')).toBe(HIDDEN);
  expect(hiddenAddress('100473554234852', 2)).toBe('100473554234852:2@lid');
});
