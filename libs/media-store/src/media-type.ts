import { fileTypeFromBuffer } from 'file-type';

/** Number of bytes of a file that are enough to find its type. */
export const SIGNATURE_BYTES = 4_100;

/** Media type of a file of which nothing is known. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** Media types that servers and clients name when they know nothing of a file. */
const UNSPECIFIC = new Set([
  UNKNOWN_TYPE,
  'binary/octet-stream',
  'application/binary',
  'application/download',
  'application/force-download',
  'application/x-download',
  'application/unknown',
  'unknown/unknown',
]);

/** Says whether a media type names the type of a file. */
export function isSpecific(mimeType: string): boolean {
  const [essence = ''] = mimeType.split(';');
  return !UNSPECIFIC.has(essence.trim().toLowerCase());
}

/** Reads the type of a file from its first bytes; undefined where they do not show it. */
export async function signatureOf(
  bytes: Uint8Array,
): Promise<{ mimeType: string; ending: string } | undefined> {
  // The file may come from anybody: a bounded part of it is read, and an error of the library proves nothing.
  const found = await fileTypeFromBuffer(bytes.subarray(0, SIGNATURE_BYTES)).catch(() => undefined);
  if (found === undefined) return undefined;
  return { mimeType: found.mime === 'image/apng' ? 'image/png' : found.mime, ending: found.ext };
}
