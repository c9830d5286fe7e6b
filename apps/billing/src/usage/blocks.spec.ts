import { expect, test } from '@jest/globals';
import { blocksOf } from './blocks.js';

const INCLUDED = 70_000_000;

test.each([
  [0, 0],
  [69_999_999, 0],
  [70_000_000, 0],
  [70_000_001, 1],
  [140_000_000, 1],
  [140_000_001, 2],
  [210_000_000, 2],
  [7_000_000_001, 100],
])('%i tokens are %i started blocks beyond 70 million', (used, blocks) => {
  expect(blocksOf(used, INCLUDED)).toBe(blocks);
});

test('a plan that includes nothing pays from the first token on', () => {
  expect([0, 1].map((used) => blocksOf(used, 0))).toEqual([0, 1]);
});
