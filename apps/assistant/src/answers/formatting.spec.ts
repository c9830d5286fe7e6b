import { describe, expect, test } from '@jest/globals';
import { partsOf, platformText } from './formatting.js';

describe('markdown becomes the signs of the platform', () => {
  test.each([
    ['**bold** and __bold__', '*bold* and *bold*'],
    ['*italics* and _italics_', '_italics_ and _italics_'],
    ['***both***', '*_both_*'],
    ['~~gone~~', '~gone~'],
    ['# Title\ntext', '*Title*\ntext'],
    ['## **Title** ##', '*Title*'],
    ['[our page](https://example.com/a)', 'our page: https://example.com/a'],
    ['[https://example.com](https://example.com)', 'https://example.com'],
    ['* one\n* two', '- one\n- two'],
    ['a\n\n---\n\nb', 'a\n\nb'],
    ['a\n\n\n\n\nb', 'a\n\nb'],
  ])('%j', (markdown, text) => {
    expect(platformText(markdown)).toBe(text);
  });

  test.each([
    '2 * 3 * 4',
    'snake_case_name',
    'a*b*c',
    '5 ** 2',
    '`**code**`',
    '```\n# no title\n```',
    '*',
    '**',
    '[a',
    '😀 ok',
  ])('and %j stays as it is', (text) => {
    expect(platformText(text)).toBe(text);
  });

  test.each([
    '*'.repeat(20_000),
    '['.repeat(20_000),
    '`'.repeat(20_001),
    '**a '.repeat(5_000),
    '#'.repeat(20_000),
    '~~'.repeat(10_000),
  ])('also of a hostile text, in no time: %#', (text) => {
    expect(typeof platformText(text)).toBe('string');
  });
});

describe('an answer is', () => {
  const three = 'First.\n\nSecond.\n\nThird.\n\nFourth.';

  test('one message', () => {
    expect(partsOf(three, false)).toEqual([three]);
  });

  test('split at paragraphs into three messages at most', () => {
    expect(partsOf(three, true)).toEqual(['First.', 'Second.', 'Third.\n\nFourth.']);
  });

  test('ended at a sentence where it is too long, and never within a sign', () => {
    const [sentence] = partsOf('A sentence. '.repeat(1_000), false);
    expect(sentence).toMatch(/A sentence\.$/);
    expect(sentence!.length).toBeLessThanOrEqual(4_000);
    const [signs] = partsOf('😀'.repeat(3_000), false);
    expect(signs).toBe(signs!.toWellFormed());
    expect(signs!.length).toBeLessThanOrEqual(4_000);
  });
});
