import { type FileKind, flag, number, type ReceivingKind, text } from './kind.js';

/** A recording, or a voice note. */
export const audio: FileKind & ReceivingKind = {
  upload: ({ voice }, { path, mimeType }) => ({
    audio: { url: path },
    mimetype: mimeType,
    ptt: voice ?? false,
  }),
  quoted: ({ mimeType, seconds, isPtt }) => ({ audioMessage: { mimetype: mimeType, seconds, ptt: isPtt } }),
  incoming: {
    audioMessage: {
      body: ({ mimetype, seconds, ptt }) => ({
        type: 'audio',
        mimeType: text(mimetype),
        seconds: number(seconds),
        isPtt: flag(ptt) ?? false,
      }),
      file: 'audio',
    },
  },
};
