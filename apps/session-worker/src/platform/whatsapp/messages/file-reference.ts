import type { PlatformContent } from '../../port.js';

/** Kinds of files as the platform derives their keys, by what fills a message. */
const KINDS = {
  imageMessage: 'image',
  stickerMessage: 'sticker',
  videoMessage: 'video',
  ptvMessage: 'ptv',
  audioMessage: 'audio',
  documentMessage: 'document',
} as const;

/** Where the file of a message lies, and how it is opened and checked. */
export interface FileReference {
  kind: (typeof KINDS)[keyof typeof KINDS];
  /** Undefined: the platform's usual host. */
  url?: string;
  directPath?: string;
  mediaKey: Buffer;
  sha256: Buffer;
  encryptedSha256: Buffer;
}

/** Whether a content is of a kind that has a file. */
export function hasFile({ type, change }: PlatformContent): boolean {
  return type in KINDS && !change;
}

/** The file of a content; undefined where it has none, or does not say where and how to get it. */
export function fileReference(content: PlatformContent): FileReference | undefined {
  if (!hasFile(content)) return undefined;
  const fields = (content.content ?? {}) as Record<string, unknown>;
  const [url, directPath] = [fields['url'], fields['directPath']].map(text);
  const [mediaKey, sha256, encryptedSha256] = ['mediaKey', 'fileSha256', 'fileEncSha256'].map((name) =>
    bytes(fields[name]),
  );
  if (!mediaKey || !sha256 || !encryptedSha256 || !(url ?? directPath)) return undefined;
  return {
    kind: KINDS[content.type as keyof typeof KINDS],
    ...(url ? { url } : {}),
    ...(directPath ? { directPath } : {}),
    ...{ mediaKey, sha256, encryptedSha256 },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** All three are 32 bytes; the content has them in base64. */
function bytes(value: unknown): Buffer | undefined {
  const decoded = Buffer.from(text(value) ?? '', 'base64');
  return decoded.length === 32 ? decoded : undefined;
}
