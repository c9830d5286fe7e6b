import { Caption, type KindRules, media, MimeType, withoutNulls } from './parts/kind.js';

export class ImageBody {
  @Caption()
  caption?: string;

  @MimeType()
  mimeType?: string;
}

export const image: KindRules<ImageBody> = {
  body: ImageBody,
  required: [],
  compose: ({ caption, mimeType: mimetype = 'image/jpeg' }, { media, contextInfo }) => ({
    imageMessage: { ...media, caption, mimetype, contextInfo },
  }),
  forms: {
    imageMessage: {
      stanza: media('image'),
      words: ({ caption }) => caption,
      describe: ({ caption, mimetype }) => withoutNulls({ caption, mimeType: mimetype }),
    },
  },
};
