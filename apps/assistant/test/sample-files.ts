import { deflateSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';

/** Makes a PDF with a page per text; `content` of a page may be given as it stands in the file. */
export function aPdf(texts: string[], content?: { bytes: Uint8Array; filter: string }): Buffer {
  const pages = texts.map((text) => ({
    ...{ bytes: strToU8(`BT /F1 12 Tf 20 100 Td (${text}) Tj ET`), filter: '' },
    ...content,
  }));
  const kids = pages.map((_, n) => `${4 + 2 * n} 0 R`).join(' ');
  const objects: (string | Uint8Array)[][] = [
    ['<< /Type /Catalog /Pages 2 0 R >>'],
    [`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`],
    ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'],
    ...pages.flatMap(({ bytes, filter }, n) => [
      [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * n} 0 R >>`,
      ],
      [`<< /Length ${bytes.length}${filter} >>\nstream\n`, bytes, '\nendstream'],
    ]),
  ];
  const body = objects.flatMap((parts, n) => [`${n + 1} 0 obj\n`, ...parts, '\nendobj\n']);
  const trailer = `trailer << /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`;
  return Buffer.concat(['%PDF-1.4\n', ...body, trailer].map((part) => Buffer.from(part)));
}

/** Makes a PDF whose only page unpacks to so many bytes. */
export const aPdfOfSize = (bytes: number): Buffer =>
  aPdf([''], { bytes: deflateSync(Buffer.alloc(bytes, ' ')), filter: ' /Filter /FlateDecode' });

/** Makes a Word document with a paragraph per text, which are XML. */
export function aDocx(paragraphs: string[], more: Record<string, Uint8Array> = {}): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r>${text}</w:r></w:p>`).join('');
  const xml = `<?xml version="1.0"?><w:document xmlns:w="urn:w"><w:body>${body}</w:body></w:document>`;
  return Buffer.from(zipSync({ 'word/document.xml': strToU8(xml), ...more }));
}

/** Makes the beginning of a picture, with so many bytes behind it. */
export const aJpeg = (bytes = 20): Buffer =>
  Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(bytes, 7)]);
