/** Kinds of content that people write and receive. What is none of them is `unsupported`. */
export const KINDS = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
  'reaction',
  'edit',
  'revoke',
] as const;
export type Kind = (typeof KINDS)[number];

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKindOfContent = (typeof MEDIA_KINDS)[number];

export const isMediaKind = (kind: string): kind is MediaKindOfContent =>
  (MEDIA_KINDS as readonly string[]).includes(kind);

export interface Card {
  displayName: string;
  phone?: string;
}

/** What a message says, whichever way it goes; the names are those of the gateway's `MessageBody`. */
export interface ContentFields {
  text?: string;
  caption?: string;
  mimeType?: string;
  seconds?: number;
  isPtv?: boolean;
  isPtt?: boolean;
  filename?: string;
  pageCount?: number;
  isAnimated?: boolean;
  latitude?: number;
  longitude?: number;
  name?: string;
  address?: string;
  contacts?: Card[];
  options?: string[];
  emoji?: string;
  /** Id of the message that a reaction, an edit or a revocation is about. */
  targetKeyId?: string;
  viewOnce?: boolean;
  /** Id of the message that this one answers. */
  quotedKeyId?: string;
  /** Phones of the people named in it. */
  mentions?: string[];
}

/** What became of a file: as a phone shows it, or why it cannot. */
export interface ReceivedMedia {
  bytes: number;
  sha256: string;
  /** Why the file cannot be opened; null: it can. */
  problem: string | null;
}

export interface ReceivedContent extends ContentFields {
  type: Kind | 'unsupported';
  /** The platform's name of what is unsupported. */
  original?: string;
  media?: ReceivedMedia;
}
