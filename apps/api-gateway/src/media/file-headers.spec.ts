import { describe, expect, test } from '@jest/globals';
import { dispositionOf, safeMediaType } from './file-headers.js';

describe('the media type of a file', () => {
  test.each([
    'image/jpeg',
    'audio/ogg; codecs=opus',
    'application/vnd.ms-excel',
    'video/mp4; codecs="avc1.4, mp4a"',
  ])('%s is what the sender says', (type) => expect(safeMediaType(type)).toBe(type));

  test.each([null, '', 'image', 'text/html\r\nset-cookie: a=b', 'a/b; c', `a/${'b'.repeat(200)}`])(
    '%j is none, and becomes bytes',
    (type) => expect(safeMediaType(type)).toBe('application/octet-stream'),
  );
});

describe('the name under which a file is saved', () => {
  test.each([
    [undefined, 'attachment'],
    ['offer.pdf', 'attachment; filename="offer.pdf"'],
    ['a "b"; c.pdf', `attachment; filename="a _b__ c.pdf"; filename*=UTF-8''a%20%22b%22%3B%20c.pdf`],
    ['Angebot ä.pdf', `attachment; filename="Angebot _.pdf"; filename*=UTF-8''Angebot%20%C3%A4.pdf`],
    ['../../etc/passwd', 'attachment; filename=".._.._etc_passwd"'],
    ['a\r\nset-cookie: b.pdf', 'attachment; filename="a__set-cookie: b.pdf"'],
    ['\ud800x', 'attachment; filename="_x"'],
    [
      `${'x'.repeat(199)}😀`,
      `attachment; filename="${'x'.repeat(199)}_"; filename*=UTF-8''${'x'.repeat(199)}%F0%9F%98%80`,
    ],
  ])('%j', (name, header) => expect(dispositionOf(name)).toBe(header));
});
