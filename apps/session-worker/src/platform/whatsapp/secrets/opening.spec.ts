import { createCipheriv, hkdfSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Sealed, SealLabel } from '../content/sealed-content.js';
import { opened } from './opening.js';

const SECRET = Buffer.alloc(32, 7);
const IV = Buffer.alloc(12, 1);
const [AUTHOR, WRITER] = [
  ['1@lid', '49155@s.whatsapp.net'],
  ['2@lid', '49156@s.whatsapp.net'],
];

function sealedBy(author: string, writer: string, label: SealLabel = 'Message Edit'): Sealed {
  const key = Buffer.from(hkdfSync('sha256', SECRET, '', `A${author}${writer}${label}`, 32));
  const cipher = createCipheriv('aes-256-gcm', key, IV);
  if (label === 'Poll Vote') cipher.setAAD(Buffer.from(`A\0${writer}`));
  const payload = Buffer.concat([cipher.update('three o’clock'), cipher.final(), cipher.getAuthTag()]);
  return { id: 'A', label, payload, iv: IV };
}

const openers = { secrets: [Buffer.alloc(32), SECRET], authors: AUTHOR, writers: WRITER };
const words = (sealed: Sealed): string | undefined => opened(sealed, openers)?.toString();

test.each(AUTHOR.flatMap((author) => WRITER.map((writer) => [author, writer] as const)))(
  'words are opened that name the author %s and the writer %s',
  (author, writer) => {
    expect(words(sealedBy(author, writer))).toBe('three o’clock');
    expect(words(sealedBy(author, writer, 'Poll Vote'))).toBe('three o’clock');
  },
);

test.each<[string, Sealed]>([
  ['of somebody else', sealedBy('1@lid', '3@lid')],
  ['for another purpose', { ...sealedBy('1@lid', '2@lid'), label: 'Event Edit' }],
  ['about another message', { ...sealedBy('1@lid', '2@lid'), id: 'B' }],
  ['that are cut off', { ...sealedBy('1@lid', '2@lid'), payload: Buffer.alloc(3) }],
  ['under an odd start', { ...sealedBy('1@lid', '2@lid'), iv: Buffer.alloc(0) }],
])('words %s stay closed', (_what, sealed) => {
  expect(words(sealed)).toBeUndefined();
});
