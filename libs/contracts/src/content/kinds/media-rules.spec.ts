import { describe, expect, test } from '@jest/globals';
import { contradicts, isOfKind, MEDIA_KINDS, MIME_TYPE, typesOf } from './media-rules.js';

/** Kinds that phones show a file of this media type as. */
const kindsOf = (mimeType: string): string[] => MEDIA_KINDS.filter((kind) => isOfKind(kind, mimeType));

describe('a file is shown', () => {
  test.each([
    ['image/jpeg', ['image', 'document']],
    ['image/png', ['image', 'document']],
    ['IMAGE/PNG', ['image', 'document']],
    [' image/png ; q=1', ['image', 'document']],
    ['image/webp', ['document', 'sticker']],
    ['image/gif', ['document']],
    ['audio/ogg; codecs=opus', ['audio', 'document']],
    ['video/mp4', ['document', 'video']],
    ['application/pdf', ['document']],
    ['audiobook/x', ['document']],
    ['', ['document']],
  ])('with the media type %j as %j', (mimeType, kinds) => {
    expect(kindsOf(mimeType)).toEqual(kinds);
  });
});

describe('the bytes of a file', () => {
  test.each([
    ...['video/mp4', 'video/webm', 'video/3gpp', 'video/3gpp2', 'video/ogg', 'video/x-matroska'],
    ...['audio/mp4', 'audio/x-m4a', 'audio/ogg', 'application/ogg', 'application/vnd.ms-asf'],
  ])('of the container %s may be sound or film, and no picture', (container) => {
    expect(MEDIA_KINDS.filter((kind) => contradicts(kind, container))).toEqual(['image', 'sticker']);
  });

  test.each([
    ['text/html', ['image', 'audio', 'video', 'sticker']],
    [undefined, ['image', 'sticker']],
    ['image/png', ['audio', 'video', 'sticker']],
    ['image/webp', ['image', 'audio', 'video']],
    ['audio/mpeg', ['image', 'video', 'sticker']],
  ])('that are %s are none of %j', (mimeType, kinds) => {
    expect(MEDIA_KINDS.filter((kind) => contradicts(kind, mimeType))).toEqual(kinds);
  });
});

test('the rule of a kind that has one is told in words', () => {
  const kinds = ['image', 'audio', 'video', 'sticker'] as const;
  expect(kinds.map(typesOf)).toEqual([
    'image/jpeg or image/png (send others as a document)',
    ...['audio/…', 'video/…', 'image/webp'],
  ]);
});

test.each([
  ['image/png', true],
  ['application/vnd.oasis.opendocument.text', true],
  ['audio/ogg; codecs=opus', true],
  ['image/svg+xml', true],
  ['png', false],
  ['/png', false],
  ['image/', false],
  ['image/png/x', false],
  ['image/png\r\nX-Evil: 1', false],
  ['image /png', false],
])('%j is a media type: %j', (text, isOne) => {
  expect(new RegExp(MIME_TYPE, 'u').test(text)).toBe(isOne);
});
