import {
  contradicts,
  invalidField,
  isOfKind,
  type MediaKind,
  type MediaRequest,
  MIME_TYPE,
  OUTBOUND_MAX_BYTES,
  typesOf,
} from '@svc/contracts';
import { isSpecific } from '@svc/media-store';
import type { StoredUpload } from '../../media/uploads.service.js';
import { voiceNoteOf } from './audio.js';
import { type Draft, shows } from './draft.js';

const SOURCES = ['url', 'base64', 'mediaId'] as const;
const DATA_URL = /^data:([^;,]*(?:;[^;,]+)*);base64,([^]*)$/i;

/**
 * Drafts a message with a file, as far as the request alone can tell.
 * @throws AppError `VALIDATION_FAILED` that names the field.
 */
export function mediaDraft(media: MediaRequest): Draft {
  const { kind, url, filename, caption, voice } = media;
  assertFits(media);
  const voiceNote = voiceNoteOf(media);
  const decoded = media.base64 === undefined ? undefined : decode(media);
  const mimeType = decoded?.mimeType ?? media.mimeType;
  const mediaId = media.mediaId?.toLowerCase();
  return {
    content: { type: kind, media: { url, mediaId, mimeType, filename, caption, voice } },
    body: { type: kind, caption, mimeType, filename, ...voiceNote },
    ...(decoded ? { file: decoded.file } : {}),
  };
}

/**
 * Adds to a draft what its upload says of the file.
 * @throws AppError `VALIDATION_FAILED` where the file is none of the kind.
 */
export function withUpload<D extends Draft>(draft: D, upload: StoredUpload): D {
  const { content, body } = draft;
  const kind = content.type as MediaKind;
  // The bytes were read when it was stored: where they show nothing, its type is unknown.
  assertIsOfKind(kind, isSpecific(upload.mimeType) ? upload.mimeType : undefined, 'media.mediaId');
  const mimeType = content.media?.mimeType ?? upload.mimeType;
  assertKind(kind, { mimeType, size: upload.size }, 'media.mediaId');
  const filename =
    content.media?.filename ?? (shows(kind, 'filename') ? (upload.filename ?? undefined) : undefined);
  return {
    ...draft,
    content: { ...content, media: { ...content.media, mimeType, filename } },
    body: { ...body, mimeType, filename },
  };
}

/** @throws AppError `VALIDATION_FAILED` where what is known of a file excludes its kind. */
export function assertIsOfKind(kind: MediaKind, actual: string | undefined, field: string): void {
  if (!contradicts(kind, actual)) return;
  const what = actual ?? 'of no type that its bytes show';
  throw invalidField(field, `${field} is ${what}, and as ${kind} must be ${typesOf(kind)}`);
}

/** @throws AppError `VALIDATION_FAILED` where a media type or a size is none of the kind. */
function assertKind(
  kind: MediaRequest['kind'],
  file: { mimeType?: string; size?: number },
  source: string,
): void {
  if (file.mimeType && !isOfKind(kind, file.mimeType)) {
    const field = 'media.mimeType';
    throw invalidField(field, `${field} must be ${typesOf(kind)} for ${kind}, and is ${file.mimeType}`);
  }
  const most = OUTBOUND_MAX_BYTES[kind];
  if ((file.size ?? 0) > most)
    throw invalidField(source, `${source} must not be larger than ${most} bytes for ${kind}`);
}

function assertFits(media: MediaRequest): void {
  const { kind, mimeType } = media;
  const [first, second] = SOURCES.filter((source) => (media[source] ?? null) !== null);
  if (!first)
    throw invalidField('media.url', 'exactly one of media.url, media.base64, media.mediaId must be given');
  if (second)
    throw invalidField(`media.${second}`, `media.${second} must not be given together with media.${first}`);
  for (const field of ['filename', 'caption'] as const) {
    if (media[field] && !shows(kind, field))
      throw invalidField(`media.${field}`, `media.${field} is not for ${kind}`);
  }
  assertKind(kind, { mimeType }, '');
}

/** Reads a file that stands in the request, however clients write base64: as a data URL, in lines, with the alphabet of URLs, without padding. */
function decode({ kind, base64 = '', mimeType }: MediaRequest): { file: Buffer; mimeType: string } {
  const [, named, data = base64] = DATA_URL.exec(base64) ?? [];
  const type = mimeType ?? named;
  const digits = data
    .replace(/\s/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/={1,2}$/, '');
  const stray = digits.search(/[^A-Za-z0-9+/]/);
  if (stray >= 0)
    throw invalidField(
      'media.base64',
      `media.base64 must be base64, and has ${nameOf(digits.charAt(stray))} in it`,
    );
  if (digits.length % 4 === 1)
    throw invalidField('media.base64', 'media.base64 must be base64, and breaks off');
  if (digits === '') throw invalidField('media.base64', 'media.base64 must not be empty');
  if (!type) throw invalidField('media.mimeType', 'media.mimeType must be given with media.base64');
  if (!new RegExp(MIME_TYPE, 'u').test(type))
    throw invalidField('media.base64', 'media.base64 must name a media type such as image/png');
  const file = Buffer.from(digits, 'base64');
  assertKind(kind, { mimeType: type, size: file.length }, 'media.base64');
  return { file, mimeType: type };
}

/** Names a character for people: one that nobody sees by its number. */
function nameOf(character: string): string {
  return /[!-~]/.test(character)
    ? `"${character}"`
    : `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
