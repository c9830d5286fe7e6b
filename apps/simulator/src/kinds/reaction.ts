import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { type KindRules, TargetKeyId, withoutNulls } from './parts/kind.js';

export class ReactionBody {
  @ApiPropertyOptional({ description: 'Emoji of a reaction; empty: it is taken back.', example: '👍' })
  @MayBeAbsent()
  @IsString()
  @Length(0, 50)
  emoji?: string;

  @TargetKeyId()
  targetKeyId?: string;
}

export const reaction: KindRules<ReactionBody> = {
  body: ReactionBody,
  required: ['emoji', 'targetKeyId'],
  compose: ({ emoji = '' }, { target }) => ({
    reactionMessage: { key: target, text: emoji, senderTimestampMs: Date.now() },
  }),
  forms: {
    reactionMessage: {
      stanza: () => ({ type: 'reaction' }),
      describe: ({ text, key }) => withoutNulls({ emoji: text ?? '', targetKeyId: key?.id }) as ReactionBody,
    },
  },
};
