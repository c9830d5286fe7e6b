import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { type KindRules, media, MimeType, Seconds, withoutNulls } from './parts/kind.js';

export class AudioBody {
  @MimeType()
  mimeType?: string;

  @Seconds()
  seconds?: number;

  @ApiPropertyOptional({ description: 'An audio that is a voice note.', example: true })
  @MayBeAbsent()
  @IsBoolean()
  isPtt?: boolean;
}

export const audio: KindRules<AudioBody> = {
  body: AudioBody,
  required: [],
  compose: (
    { mimeType: mimetype = 'audio/ogg; codecs=opus', seconds, isPtt: ptt = false },
    { media, contextInfo },
  ) => ({ audioMessage: { ...media, mimetype, seconds, ptt, contextInfo } }),
  forms: {
    audioMessage: {
      stanza: media('audio'),
      describe: ({ mimetype, seconds, ptt }) =>
        withoutNulls({ mimeType: mimetype, seconds, isPtt: ptt ?? false }),
    },
  },
};
