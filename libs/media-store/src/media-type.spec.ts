import { describe, expect, test } from '@jest/globals';
import { isSpecific, signatureOf } from './media-type.js';

describe('a file is told by its first bytes', () => {
  test.each([
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
    ['application/pdf', [...Buffer.from('%PDF-1.7\n')]],
    ['image/gif', [...Buffer.from('GIF89a')]],
  ])('as %s', async (mimeType, bytes) => {
    expect(await signatureOf(Uint8Array.from(bytes))).toMatchObject({ mimeType });
  });

  test.each([
    ['words', Buffer.from('Good morning')],
    ['nothing', Buffer.alloc(0)],
    ['an archive that breaks off', Buffer.from([0x50, 0x4b, 3, 4, 0xff])],
  ])('where they say so: %s', async (_what, bytes) => {
    expect(['application/zip', undefined]).toContain((await signatureOf(bytes))?.mimeType);
  });
});

test.each([
  ['application/octet-stream', false],
  ['Binary/Octet-Stream; charset=binary', false],
  ['audio/ogg; codecs=opus', true],
])('%s says what a file is: %p', (mimeType, says) => {
  expect(isSpecific(mimeType)).toBe(says);
});
