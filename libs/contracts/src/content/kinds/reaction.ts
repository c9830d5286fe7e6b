import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';
import { MessageRef, TARGET } from '../parts/target.js';

/** Reacts to a message. */
export class ReactionRequest extends MessageRef {
  @ApiProperty({
    description: 'One emoji; an empty string takes the reaction back.',
    example: '👍',
    maxLength: 64,
  })
  @IsString()
  @MaxLength(64)
  emoji: string;
}

/** An emoji on an earlier message. */
export const reaction = defineContent({
  sending: {
    request: {
      reaction: field<ReactionRequest>(
        ApiPropertyOptional({ description: 'A reaction to a message.', type: ReactionRequest }),
        IsOptional(),
        ValidateNested(),
        Type(() => ReactionRequest),
      ),
    },
    wire: {
      /** Emoji of the reaction; empty: it is taken back. */
      emoji: field<string>(IsString()),
      target: TARGET,
    },
    canReply: false,
    canMention: false,
    hasFile: false,
    relation: 'REACTION',
  },
  body: {
    required: {},
    optional: {
      emoji: field<string>(
        ApiPropertyOptional({
          type: String,
          description: 'The emoji; empty when it was taken back.',
          example: '👍',
        }),
        IsOptional(),
        IsString(),
      ),
      targetKeyId: field<string>(
        ApiPropertyOptional({
          type: String,
          description: 'keyId of the message it belongs to.',
          example: '3EB0C0FFEE',
        }),
        IsOptional(),
        IsString(),
      ),
    },
  },
});
