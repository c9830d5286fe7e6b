import { type FileKind, type IncomingField, NO_PREVIEW, number, type ReceivingKind, text } from './kind.js';

const bodyOf =
  (isPtv: boolean): IncomingField['body'] =>
  ({ caption, mimetype, seconds }) => ({
    type: 'video',
    caption: text(caption),
    mimeType: text(mimetype),
    seconds: number(seconds),
    isPtv,
  });

/** A film, or a round video note. */
export const video: FileKind & ReceivingKind = {
  upload: ({ caption }, { path, mimeType }) => ({
    ...{ video: { url: path }, mimetype: mimeType, caption },
    ...NO_PREVIEW,
  }),
  quoted: ({ caption, mimeType }) => ({ videoMessage: { caption, mimetype: mimeType } }),
  incoming: {
    videoMessage: { body: bodyOf(false), file: 'video' },
    ptvMessage: { body: bodyOf(true), file: 'ptv' },
  },
};
