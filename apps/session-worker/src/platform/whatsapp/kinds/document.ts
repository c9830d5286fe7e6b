import { type FileKind, number, type ReceivingKind, text } from './kind.js';

/** Kind of any other file, with its name. */
export const document: FileKind & ReceivingKind = {
  upload: ({ filename, caption }, { path, mimeType, filename: named }) => ({
    ...{ document: { url: path }, mimetype: mimeType, fileName: filename ?? named, caption },
  }),
  quoted: ({ caption, mimeType, filename }) => ({
    documentMessage: { caption, mimetype: mimeType, fileName: filename },
  }),
  incoming: {
    documentMessage: {
      body: ({ fileName, mimetype, pageCount, caption }) => ({
        type: 'document',
        filename: text(fileName),
        mimeType: text(mimetype),
        pageCount: number(pageCount),
        caption: text(caption),
      }),
      file: 'document',
    },
  },
};
