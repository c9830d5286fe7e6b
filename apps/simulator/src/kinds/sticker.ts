import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { type KindRules, media, MimeType, withoutNulls } from './parts/kind.js';

export class StickerBody {
  @MimeType()
  mimeType?: string;

  @ApiPropertyOptional({ description: 'A sticker that moves.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  isAnimated?: boolean;
}

export const sticker: KindRules<StickerBody> = {
  body: StickerBody,
  required: [],
  compose: ({ mimeType: mimetype = 'image/webp', isAnimated = false }, { media, contextInfo }) => ({
    stickerMessage: { ...media, mimetype, isAnimated, contextInfo },
  }),
  forms: {
    stickerMessage: {
      stanza: media('sticker'),
      describe: ({ mimetype, isAnimated }) =>
        withoutNulls({ mimeType: mimetype, isAnimated: isAnimated ?? false }),
    },
  },
};
