import { fileTypeFromBuffer } from 'file-type';

/** So many bytes of a file are enough to tell what it is. */
export const SIGNATURE_BYTES = 4_100;

/** What servers and clients say of a file of which they know nothing. */
const UNSPECIFIC = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/download',
  'application/force-download',
  'application/x-download',
  'application/unknown',
  'unknown/unknown',
]);

/** Tells whether a media type says what a file is. */
export function isSpecific(mimeType: string): boolean {
  const [essence = ''] = mimeType.split(';');
  return !UNSPECIFIC.has(essence.trim().toLowerCase());
}

/** Tells what a file is by its first bytes; undefined where they do not say. */
export async function signatureOf(
  bytes: Uint8Array,
): Promise<{ mimeType: string; ending: string } | undefined> {
  // What is asked about comes from anybody: only so much is looked at, and a look that fails says nothing.
  const found = await fileTypeFromBuffer(bytes.subarray(0, SIGNATURE_BYTES)).catch(() => undefined);
  if (found === undefined) return undefined;
  return { mimeType: found.mime === 'image/apng' ? 'image/png' : found.mime, ending: found.ext };
}
