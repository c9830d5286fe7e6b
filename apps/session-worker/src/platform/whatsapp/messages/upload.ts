import type { MediaContent, MediaKind, OutboundContent } from '@svc/contracts';
import { type AnyMessageContent, generateWAMessageContent, proto } from '@whiskeysockets/baileys';
import type { OutgoingFile } from '../../port.js';
import type { LibrarySocket } from './hand-over.js';

/** A media host that takes nothing more for that long is given up. */
const IDLE_MS = 20_000;
/**
 * The library would read pictures with native code and films with a command line. What tenants send is not for that: one file
 * that breaks it would end all sessions of the process. Phones make their own previews.
 */
const NO_PREVIEW = { jpegThumbnail: null } as unknown as { jpegThumbnail: undefined };

const KINDS: Record<MediaKind, (media: MediaContent, file: OutgoingFile) => AnyMessageContent> = {
  image: ({ caption }, { path, mimeType }) => ({
    ...{ image: { url: path }, mimetype: mimeType, caption },
    ...NO_PREVIEW,
  }),
  video: ({ caption }, { path, mimeType }) => ({
    ...{ video: { url: path }, mimetype: mimeType, caption },
    ...NO_PREVIEW,
  }),
  audio: ({ voice }, { path, mimeType }) => ({
    audio: { url: path },
    mimetype: mimeType,
    ptt: voice ?? false,
  }),
  document: ({ filename, caption }, { path, mimeType }) => ({
    ...{ document: { url: path }, mimetype: mimeType, fileName: filename, caption },
  }),
  sticker: (_, { path, mimeType }) => ({ sticker: { url: path }, mimetype: mimeType }),
};

/** Encrypts and uploads a file; the answer is the platform's message for it, encoded. */
export async function uploadFile(
  sock: LibrarySocket,
  { type, media }: OutboundContent,
  file: OutgoingFile,
): Promise<Uint8Array> {
  const message = await generateWAMessageContent(KINDS[type as MediaKind](media ?? {}, file), {
    upload: sock.waUploadToServer,
    mediaUploadTimeoutMs: IDLE_MS,
  });
  return proto.Message.encode(message).finish();
}
