import { expect, test } from '@jest/globals';
import { cardsIn } from './cards.js';

const vcard = (...lines: string[]): string =>
  ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ada', ...lines, 'END:VCARD'].join('\n');

test.each<[string, string[], string[]]>([
  ['with its account', ['TEL;type=CELL;waid=4915550001:+49 1555 0001'], ['+4915550001']],
  ['with another spelling of it', ['TEL;waid=553187654321:+55 31 98765-4321'], ['+553187654321']],
  ['without an account', ['TEL;type=WORK:+49 30 1234-56'], ['+4930123456']],
  ['in a group of lines', ['item1.TEL:+49 30 123456', 'item1.X-ABLabel:Work'], ['+4930123456']],
  ['that says tel:', ['TEL;VALUE=uri:tel:+49-30-123456'], ['+4930123456']],
  ['that does not name its country', ['TEL:030 123456'], []],
  ['twice', ['TEL:+4930123456', 'TEL;type=CELL:+49 30 123456'], ['+4930123456']],
  ['several', ['TEL:+4930123456', 'TEL;waid=4915550001:0'], ['+4930123456', '+4915550001']],
  ['none', [], []],
])('a card has its numbers: %s', (_what, lines, phones) => {
  expect(cardsIn('contactMessage', { displayName: 'Ada', vcard: vcard(...lines) })).toEqual([
    { displayName: 'Ada', phones },
  ]);
});

test('several cards are read one by one, and no other kind has any', () => {
  const contacts = [{ displayName: 'Ada', vcard: vcard('TEL:+4930123456') }, {}];
  expect(cardsIn('contactsArrayMessage', { contacts })).toEqual([
    { displayName: 'Ada', phones: ['+4930123456'] },
    { displayName: null, phones: [] },
  ]);
  expect(cardsIn('conversation', 'TEL:+4930123456')).toBeUndefined();
});
