import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Length, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { Caption, type KindRules, media, MimeType, withoutNulls } from './parts/kind.js';

export class DocumentBody {
  @Caption()
  caption?: string;

  @MimeType()
  mimeType?: string;

  @ApiPropertyOptional({ description: 'File name of a document.', example: 'offer.pdf' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 300)
  filename?: string;

  @ApiPropertyOptional({ description: 'Number of pages of a document.', example: 3 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  pageCount?: number;
}

/** Rules of documents: one with a caption comes in an envelope of its own. */
export const document: KindRules<DocumentBody> = {
  body: DocumentBody,
  required: [],
  compose: (content, { media, contextInfo }) => {
    const {
      mimeType: mimetype = 'application/octet-stream',
      filename: fileName,
      pageCount,
      caption,
    } = content;
    const fields = { mimetype, fileName, title: fileName, pageCount, caption, contextInfo };
    const documentMessage = { ...media, ...fields };
    return caption ? { documentWithCaptionMessage: { message: { documentMessage } } } : { documentMessage };
  },
  forms: {
    documentMessage: {
      stanza: media('document'),
      words: ({ caption }) => caption,
      describe: ({ caption, mimetype, fileName, pageCount }) =>
        withoutNulls({ caption, mimeType: mimetype, filename: fileName, pageCount }),
    },
  },
};
