import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { normalizeRecipient } from './recipient.js';

const BERLIN = '4915112345678@s.whatsapp.net';

describe('a recipient', () => {
  test.each([
    '+4915112345678',
    '+49 151 12345678',
    '+49 (0)151 12345678',
    '+49-151/1234.5678',
    '(+49) 151 12345678',
    '+(49) 151 12345678',
    '004915112345678',
    '0049 151 12345678',
    '(0049) 151 12345678',
    '4915112345678',
    '49 151 12345678',
    ' +4915112345678 ',
    'tel:+4915112345678',
    '4915112345678@s.whatsapp.net',
    '4915112345678:12@s.whatsapp.net',
    '4915112345678@c.us',
    'whatsapp:+4915112345678',
    '\u202a+49 151 12345678\u202c',
    '\u200e+4915112345678\u2069',
  ])('may be written as %s', (text) => {
    expect(normalizeRecipient(text)).toBe(BERLIN);
  });

  test.each([
    ['+15550001111', '15550001111'],
    ['1 (555) 000-1111', '15550001111'],
    ['+442079460000', '442079460000'],
    ['+551155256325', '551155256325'],
    ['+5215512345678', '5215512345678'],
    ['+52 1 55 1234 5678', '5215512345678'],
    ['5215512345678', '5215512345678'],
    ['005215512345678', '5215512345678'],
    ['+2401234567890', '2401234567890'],
    ['+52 044 55 1234 5678', '525512345678'],
    ['+52 045 55 1234 5678', '525512345678'],
    ['+52 01 55 1234 5678', '525512345678'],
  ])('that no numbering plan lists is taken while its country is known: %s', (text, digits) => {
    expect(normalizeRecipient(text)).toBe(`${digits}@s.whatsapp.net`);
  });

  test.each([
    'hello',
    '12345',
    '0151 12345678',
    '(0151) 12345678',
    '(555) 000-1111',
    '+49',
    '+999123456789',
    '+15550001111 ext. 5',
    '+1555000111122223333',
    'call +4915112345678',
    '+1-800-FLOWERS',
    '+521234567',
    '+5215512345678901',
    '+1555000',
    '+44700012',
    '+15550001111222',
    '120363041234567890@g.us',
    '1234@lid',
    '+123456789012345@lid',
    '123456789012345@lid.example',
    '5550001',
    '+49 151 1234 5678 9012',
    'status@broadcast',
    '@s.whatsapp.net',
    '49151@s.whatsapp.net.evil.example',
    '+4915112345678@s.whatsapp.net',
  ])('is refused, naming the field: %s', (text) => {
    expect(() => normalizeRecipient(text)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        meta: { fields: [{ field: 'to', rule: expect.stringContaining('to must be') }] },
      }),
    );
  });

  test('is an address or a refusal, whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[+0-9() .@-]{1,30}$/)), (text) => {
        try {
          expect(normalizeRecipient(text)).toMatch(/^(\d{7,15}@s\.whatsapp\.net|\d{5,20}@lid)$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
        }
      }),
    );
  });

  test('whose number is hidden may be written as the address it is known by', () => {
    expect(normalizeRecipient('123456789012345@lid')).toBe('123456789012345@lid');
    expect(normalizeRecipient(' 123456789012345:7@lid ')).toBe('123456789012345@lid');
  });

  // Countries whose numbers never begin with the digit that is dialled before them inside the country.
  test('may be written as any number that an event hands out, with the same address for both', () => {
    const country = fc.constantFrom('20', '34', '39', '44', '49', '52', '91', '225', '240', '351');
    const shortest: Record<string, number> = { '39': 7, '49': 7, '52': 10, '91': 10, '225': 10, '44': 10 };
    fc.assert(
      fc.property(country, fc.stringMatching(/^[2-9]\d{10}$/), fc.boolean(), (code, rest, isLonger) => {
        // The number is as long as those of its country are, or a digit longer, as in a plan that is newer than the table.
        const digits = `${code}${rest.slice(0, (shortest[code] ?? 9) + Number(isLonger))}`;
        expect(normalizeRecipient(`+${digits}`)).toBe(normalizeRecipient(`${digits}@s.whatsapp.net`));
      }),
    );
  });

  test('that was normalized stays as it is', () => {
    expect(normalizeRecipient(normalizeRecipient('+4915112345678'))).toBe(BERLIN);
  });
});
