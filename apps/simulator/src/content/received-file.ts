import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { fileKindOf, type ReceivedMedia } from '../kinds/kinds.js';
import { openMedia } from '../media/media-cipher.js';
import type { MediaStore } from '../media/media-store.js';
import { sha256 } from '../noise/keys.js';
import { fieldOf, formsOf, unwrapped } from './platform-message.js';

/** Facts about a file in every kind of message that has one. */
interface MediaClaims {
  url?: string;
  directPath?: string;
  mediaKey?: Uint8Array;
  fileSha256?: Uint8Array;
  fileEncSha256?: Uint8Array;
}

/** Fetches and opens the file of a message, as a phone does; a text says why it could not. Undefined: no file. */
export function fileOf(store: MediaStore, message: proto.IMessage): Buffer | string | undefined {
  const inner = unwrapped(message);
  const field = fieldOf(inner);
  const [written] = formsOf(field);
  const kind = written && fileKindOf(written.kind);
  if (!field || !kind) return undefined;
  const claims = inner[field] as MediaClaims;
  const blob = store.get(claims.directPath ?? pathIn(claims.url));
  return blob ? openMedia(kind, blob, claims) : 'the media host does not have it';
}

/** Describes an opened file, or the reason why it was not opened. */
export function describeFile(file: Buffer | string): ReceivedMedia {
  if (typeof file === 'string') return { bytes: 0, sha256: '', problem: file };
  return { bytes: file.length, sha256: sha256(file).toString('hex'), problem: null };
}

const pathIn = (url: string | undefined): string => (url && URL.canParse(url) ? new URL(url).pathname : '');
