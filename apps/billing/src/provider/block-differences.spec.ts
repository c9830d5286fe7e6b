import { expect, test } from '@jest/globals';
import { differencesOf, type OurBlock } from './block-differences.js';

const ours = (more: Partial<OurBlock> = {}): OurBlock => ({
  ...{ key: 't:2026-01:1', itemId: 'ii_1', cents: 2_000, reported: true, ...more },
});
const THEIRS = { key: 't:2026-01:1', itemId: 'ii_1', cents: 2_000 };

test('a block that is on an invoice once, at its price, is no difference', () => {
  expect(differencesOf([ours()], [THEIRS])).toEqual([]);
  expect(differencesOf([], [])).toEqual([]);
});

test('a block that was reported and is on no invoice is named; one that is not due there is not', () => {
  expect(differencesOf([ours()], [])).toEqual(['t:2026-01:1 is not at the provider']);
  expect(differencesOf([ours({ reported: false })], [])).toEqual([]);
  expect(differencesOf([ours({ itemId: null, reported: false })], [])).toEqual([]);
});

test('a block at another price is named with both', () => {
  expect(differencesOf([ours()], [{ ...THEIRS, cents: 1_999 }])).toEqual([
    't:2026-01:1 costs 1999 at the provider, not 2000',
  ]);
});

test('an item that the ledger does not have is named', () => {
  expect(differencesOf([ours()], [THEIRS, { ...THEIRS, key: 't:2026-01:2', itemId: 'ii_2' }])).toEqual([
    't:2026-01:2 is at the provider only',
  ]);
});

test('a block that is on an invoice twice is named; one whose item is not written down yet is not', () => {
  expect(differencesOf([ours()], [THEIRS, { ...THEIRS, itemId: 'ii_2' }])).toEqual([
    't:2026-01:1 is there more than once',
  ]);
  expect(differencesOf([ours({ itemId: null, reported: false })], [THEIRS])).toEqual([]);
});
