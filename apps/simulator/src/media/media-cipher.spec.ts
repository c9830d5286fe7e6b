import { expect, test } from '@jest/globals';
import { openMedia, sealMedia } from './media-cipher.js';

const file = Buffer.from('a picture');
const { blob, sealed } = sealMedia('image', file);

test('a sealed file opens with what the message says', () => {
  expect(openMedia('image', blob, sealed)).toEqual(file);
  expect(openMedia('sticker', blob, sealed)).toEqual(file);
});

const altered = Buffer.from(blob);
altered[0] = (altered[0] ?? 0) ^ 1;

test.each([
  ['an altered file', altered, sealed, /encrypted file differs/],
  ['the key of another file', blob, { ...sealed, mediaKey: Buffer.alloc(32) }, /not sealed/],
  ['another digest', blob, { ...sealed, fileSha256: Buffer.alloc(32) }, /digest of the file/],
  ['no key', blob, { ...sealed, mediaKey: undefined }, /no key/],
])('says what is wrong with %s', (_what, bytes, claims, words) => {
  expect(openMedia('image', bytes, claims)).toMatch(words);
});

test('a file sealed as another kind does not open', () => {
  expect(openMedia('video', blob, sealed)).toMatch(/not sealed/);
});
