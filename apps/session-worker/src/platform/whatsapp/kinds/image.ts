import { type FileKind, NO_PREVIEW, type ReceivingKind, text } from './kind.js';

/** A picture. */
export const image: FileKind & ReceivingKind = {
  upload: ({ caption }, { path, mimeType }) => ({
    ...{ image: { url: path }, mimetype: mimeType, caption },
    ...NO_PREVIEW,
  }),
  quoted: ({ caption, mimeType }) => ({ imageMessage: { caption, mimetype: mimeType } }),
  incoming: {
    imageMessage: {
      body: ({ caption, mimetype }) => ({ type: 'image', caption: text(caption), mimeType: text(mimetype) }),
      file: 'image',
    },
  },
};
