/** Kinds of files that a session sends. */
export const MEDIA_KINDS = ['image', 'audio', 'document', 'video', 'sticker'] as const;
/** Value of `MEDIA_KINDS`. */
export type MediaKind = (typeof MEDIA_KINDS)[number];

const MB = 1_048_576;

/** Largest file of each kind, in bytes: what phones take. */
export const OUTBOUND_MAX_BYTES: Record<MediaKind, number> = {
  image: 16 * MB,
  audio: 16 * MB,
  document: 100 * MB,
  video: 64 * MB,
  sticker: MB,
};

/** Pictures that phones show; of others they show a grey box. */
const PICTURES = ['image/jpeg', 'image/png'];

/** A media type without parameters that matter here, as RFC 6838 spells it. */
export const MIME_TYPE =
  '^[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]{0,63}\\/[a-zA-Z0-9][a-zA-Z0-9!#$&^_.+-]{0,63}( *;[ -~]{0,100})?$';

/** Says whether phones show a file of this media type as this kind; a document may be anything. */
export function isOfKind(kind: MediaKind, mimeType: string): boolean {
  const type = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  if (kind === 'document') return true;
  if (kind === 'sticker') return type === 'image/webp';
  return kind === 'image' ? PICTURES.includes(type) : type.startsWith(`${kind}/`);
}

/** Containers of which the first bytes do not say whether they hold sound or film. */
const CONTAINERS = new Set([
  ...['video/mp4', 'video/webm', 'video/3gpp', 'video/3gpp2', 'video/ogg', 'video/x-matroska'],
  ...['audio/mp4', 'audio/x-m4a', 'audio/ogg', 'application/ogg', 'application/vnd.ms-asf'],
]);

/** Says whether a media type, read from the bytes of a file, excludes this kind. All pictures that phones show say what they are. */
export function contradicts(kind: MediaKind, mimeType: string | undefined): boolean {
  if (mimeType === undefined) return kind === 'image' || kind === 'sticker';
  const mayBeEither = (kind === 'audio' || kind === 'video') && CONTAINERS.has(mimeType);
  return !mayBeEither && !isOfKind(kind, mimeType);
}

/** Describes the rule that `isOfKind` checks, in words. */
export function typesOf(kind: MediaKind): string {
  if (kind === 'image') return `${PICTURES.join(' or ')} (send others as a document)`;
  return kind === 'sticker' ? 'image/webp' : `${kind}/…`;
}
