import { strFromU8, unzipSync } from 'fflate';
import { getDocumentProxy } from 'unpdf';
import { textOfHtml, tidy } from './html.js';

/** Most characters that are read of a file; more than a source keeps, so that a longer file is told from one that just fits. */
const CHARACTERS_MAX = 110_000;
/** Largest text of a Word document, with all its marks, in bytes. */
const XML_MAX = 30_000_000;
const DOCX_TEXT = 'word/document.xml';
/** Bytes within which a PDF says what it is. */
const PDF_HEAD = 1_024;

/** Message of the thread: the text, or why there is none. */
export type FileReading = { text: string } | { problem: string };

/** Reads the text of a file by what its bytes are, and not by what somebody calls it. It throws nothing. */
export async function readingOf(bytes: Uint8Array<ArrayBuffer>): Promise<FileReading> {
  try {
    const text = await textOf(bytes);
    if (text === undefined) return { problem: 'NO_TEXT' };
    return { text: text.slice(0, CHARACTERS_MAX) };
  } catch (error) {
    return { problem: (error as Error).name === 'PasswordException' ? 'ENCRYPTED' : 'UNREADABLE' };
  }
}

async function textOf(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  if (strFromU8(bytes.subarray(0, PDF_HEAD), true).includes('%PDF-')) return textOfPdf(bytes);
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return textOfDocx(bytes);
  const text = plainTextOf(bytes);
  if (text === undefined) return undefined;
  return /^\s*<(!doctype html|html)/i.test(text) ? textOfHtml(text) : tidy(text.slice(0, CHARACTERS_MAX));
}

/** Reads page after page, until there is enough. No script of the file is run, and no font is loaded. */
async function textOfPdf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, disableFontFace: true, verbosity: 0 });
  let text = '';
  for (let page = 1; page <= pdf.numPages && text.length < CHARACTERS_MAX; page += 1) {
    const { items } = await (await pdf.getPage(page)).getTextContent();
    for (const item of items) if ('str' in item) text += item.str + (item.hasEOL ? '\n' : '');
    text += '\n\n';
  }
  return tidy(text);
}

/** Reads the paragraphs of a Word document. Nothing else of the archive is unpacked, and of this no more than it says it has. */
function textOfDocx(bytes: Uint8Array): string | undefined {
  const files = unzipSync(bytes, {
    filter: ({ name, originalSize }) => name === DOCX_TEXT && originalSize <= XML_MAX,
  });
  const xml = files[DOCX_TEXT];
  if (!xml) return undefined;
  const marked = strFromU8(xml)
    // Deleted words, and orders to the program that shows the document.
    .replace(/<w:(?:delText|instrText)\b[^<>]*>[^<]*/g, '')
    .replaceAll('</w:p>', '</w:p><br>')
    .replace(/<w:(?:br|cr)\/>/g, '<br>')
    .replaceAll('<w:tab/>', ' ');
  return textOfHtml(marked);
}

/** Reads plain text in the encodings in which people save it. @returns undefined where it is none */
function plainTextOf(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // Files that are no text have such characters.
  if (/[\0-\x08\x0e-\x1a]/.test(strFromU8(bytes.subarray(0, 100_000), true))) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
