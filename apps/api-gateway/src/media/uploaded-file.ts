import type { Readable } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
import { AppError, invalidField, MIME_TYPE } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { assertStorable } from '../edge/request-pipe.js';

const ONE_FILE = 'body must be multipart/form-data with exactly one part, the file, named file';
const LONGEST_NAME = 255;

/** A file that is being received. */
export interface IncomingFile {
  stream: Readable;
  mimeType: string;
  filename: string | null;
}

/**
 * Hands the one file of a multipart body to `store` while it arrives, and to `discard` where the rest of the body is refused.
 * @throws AppError `VALIDATION_FAILED` where the body is anything else.
 */
export async function uploadedFile<T>(
  request: FastifyRequest,
  store: (file: IncomingFile) => Promise<T>,
  discard: (stored: T) => Promise<void>,
): Promise<T> {
  let stored: T | undefined;
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file' || part.fieldname !== 'file' || stored !== undefined)
        throw invalidField('file', ONE_FILE);
      stored = await store(incoming(part));
    }
  } catch (error) {
    // The parser holds the rest back as long as nobody reads its part.
    request.raw.unpipe().resume();
    if (stored !== undefined) await discard(stored);
    throw isMalformed(error) ? invalidField('file', ONE_FILE) : error;
  }
  if (stored === undefined) throw invalidField('file', ONE_FILE);
  return stored;
}

function incoming({ file, mimetype, filename }: MultipartFile): IncomingFile {
  if (!new RegExp(MIME_TYPE, 'u').test(mimetype))
    throw invalidField('file', 'file must come with a media type such as image/png');
  if (filename) assertStorable(filename, 'file');
  return { stream: file, mimeType: mimetype, filename: filename ? filename.slice(0, LONGEST_NAME) : null };
}

/** Says whether the parser reports a body that is cut off, has other parts, or is no multipart at all. */
function isMalformed(error: unknown): boolean {
  if (error instanceof AppError) return false;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return code.startsWith('FST_') || /multipart|boundary|part terminated|end of form|needle/i.test(message);
}
