import { ApiPropertyOptional } from '@nestjs/swagger';
import type { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { IsBoolean } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { Caption, type KindRules, media, MimeType, Seconds, withoutNulls } from './parts/kind.js';

export class VideoBody {
  @Caption()
  caption?: string;

  @MimeType()
  mimeType?: string;

  @Seconds()
  seconds?: number;

  @ApiPropertyOptional({ description: 'A video that is a round video note.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  isPtv?: boolean;
}

const describe = ({ caption, mimetype, seconds }: proto.Message.IVideoMessage, isPtv: boolean): VideoBody =>
  withoutNulls({ caption, mimeType: mimetype, seconds, isPtv });

/** Rules of videos: a round video note is a message of its own, which is announced as text and has no text in lists. */
export const video: KindRules<VideoBody> = {
  body: VideoBody,
  required: [],
  compose: ({ caption, mimeType: mimetype = 'video/mp4', seconds, isPtv }, { media, contextInfo }) => {
    const message = { ...media, caption, mimetype, seconds, contextInfo };
    return isPtv ? { ptvMessage: message } : { videoMessage: message };
  },
  forms: {
    videoMessage: {
      stanza: media('video'),
      words: ({ caption }) => caption,
      describe: (message) => describe(message, false),
    },
    ptvMessage: { describe: (message) => describe(message, true) },
  },
};
