import type { MediaType } from '@whiskeysockets/baileys';
import { type Fields, text } from '../kinds/kind.js';
import { READINGS } from './readings.js';
import type { DecodedContent } from './decoded-content.js';

/** Place of the file of a message, and the keys that open and check it. */
export interface FileReference {
  /** Name from which the platform derives its keys. */
  kind: MediaType;
  /** Address of the file; undefined: at the platform's usual host. */
  url?: string;
  directPath?: string;
  mediaKey: Buffer;
  sha256: Buffer;
  encryptedSha256: Buffer;
}

/** Says whether a content is of a kind that has a file. */
export function hasFile(decoded: DecodedContent): boolean {
  return fileKind(decoded) !== undefined;
}

/** Reads where the file of a content lies; undefined where it has none, or does not say where and how to get it. */
export function fileReference(decoded: DecodedContent): FileReference | undefined {
  const kind = fileKind(decoded);
  if (!kind) return undefined;
  const fields = (decoded.content ?? {}) as Fields;
  const [url, directPath] = [fields['url'], fields['directPath']].map(text);
  const [mediaKey, sha256, encryptedSha256] = ['mediaKey', 'fileSha256', 'fileEncSha256'].map((name) =>
    bytes(fields[name]),
  );
  if (!mediaKey || !sha256 || !encryptedSha256 || !(url ?? directPath)) return undefined;
  return {
    kind,
    ...(url ? { url } : {}),
    ...(directPath ? { directPath } : {}),
    ...{ mediaKey, sha256, encryptedSha256 },
  };
}

/** Names the kind of its file; a message that changes or takes back another one has none. */
function fileKind({ type, change }: DecodedContent): MediaType | undefined {
  return change ? undefined : READINGS.get(type)?.file;
}

/** Reads 32 bytes, which the content has in base64. */
function bytes(value: unknown): Buffer | undefined {
  const decoded = Buffer.from(text(value) ?? '', 'base64');
  return decoded.length === 32 ? decoded : undefined;
}
