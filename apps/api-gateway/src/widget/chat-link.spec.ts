import { describe, expect, test } from '@jest/globals';
import jsQR from 'jsqr';
import { chatLink, drawQr, inkOn } from './chat-link.js';

test('a chat link has the digits of the number, and the text as people typed it', () => {
  expect(chatLink('https://wa.me/', '+4915112345678', '')).toBe('https://wa.me/4915112345678');
  const link = chatLink('https://wa.me/', '+4915112345678', 'Grüße & ein "Hallo"?');
  expect(new URL(link).searchParams.get('text')).toBe('Grüße & ein "Hallo"?');
});

test('a drawn QR code can be read', () => {
  const link = chatLink('https://wa.me/', '+4915112345678', 'Hello');
  const { size, path } = drawQr(link);
  const SCALE = 4;
  const side = (size + 8) * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x = 0, y = 0, width = 0] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = 0; row < SCALE; row += 1) {
      const start = ((Number(y) + 4) * SCALE + row) * side + (Number(x) + 4) * SCALE;
      pixels.fill(0, start * 4, (start + Number(width) * SCALE) * 4);
    }
  }
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
  expect(jsQR.default(pixels, side, side)?.data).toBe(link);
});

describe('what is written on a colour', () => {
  test.each([
    ['#000000', '#ffffff'],
    ['#ffffff', '#000000'],
    ['#0b7a5c', '#ffffff'],
    ['#25d366', '#000000'],
    ['#FFEB3B', '#000000'],
  ] as const)('of %s is %s', (color, ink) => {
    expect(inkOn(color)).toBe(ink);
  });
});
