import { type FileKind, flag, type ReceivingKind, text } from './kind.js';

/** A sticker. */
export const sticker: FileKind & ReceivingKind = {
  upload: (_, { path, mimeType }) => ({ sticker: { url: path }, mimetype: mimeType }),
  quoted: ({ mimeType }) => ({ stickerMessage: { mimetype: mimeType } }),
  incoming: {
    stickerMessage: {
      body: ({ mimetype, isAnimated }) => ({
        type: 'sticker',
        mimeType: text(mimetype),
        isAnimated: flag(isAnimated) ?? false,
      }),
      file: 'sticker',
    },
  },
};
