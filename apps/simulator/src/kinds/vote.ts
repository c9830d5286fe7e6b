import { createHash } from 'node:crypto';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { proto } from '@whiskeysockets/baileys/WAProto/index.js';
import { ArrayMaxSize, IsArray, IsString } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { type KindRules, TargetKeyId } from './parts/kind.js';
import { Sealed, type SealedBody } from './parts/sealed-body.js';

export class VoteBody {
  @ApiPropertyOptional({
    description: 'Options of the poll that a vote is for; none: the vote is taken back.',
    example: ['yes'],
    type: [String],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(12)
  @IsString({ each: true })
  choices?: string[];

  @TargetKeyId()
  targetKeyId?: string;

  @Sealed()
  sealed?: SealedBody;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A vote names its options by their hashes, sealed by the secret of the poll. Who reads it needs both, so it is described without. */
export const vote: KindRules<VoteBody> = {
  body: VoteBody,
  required: ['choices', 'targetKeyId'],
  compose: ({ choices = [] }, { target, seal }) => ({
    pollUpdateMessage: {
      pollCreationMessageKey: target,
      vote: seal?.(
        'Poll Vote',
        Buffer.from(proto.Message.PollVoteMessage.encode({ selectedOptions: choices.map(sha256) }).finish()),
      ),
      senderTimestampMs: Date.now(),
    },
  }),
  forms: {
    pollUpdateMessage: {
      stanza: () => ({ type: 'poll' }),
      describe: ({ pollCreationMessageKey: key }) => (key?.id ? { targetKeyId: key.id } : undefined),
    },
  },
};
