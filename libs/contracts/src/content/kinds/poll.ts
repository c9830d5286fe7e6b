import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsDefined,
  IsOptional,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import { field } from '../parts/field.js';
import { defineContent } from '../parts/kind.js';
import { NAME } from '../parts/name.js';

/** A question with choices. */
export class PollContent {
  @ApiProperty({ description: 'The question.', example: 'Lunch?', minLength: 1, maxLength: 255 })
  @IsString()
  @Length(1, 255)
  name: string;

  @ApiProperty({
    description: 'The choices, 2 to 12, each of 1 to 100 characters.',
    example: ['yes', 'no'],
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 100 },
    minItems: 2,
    maxItems: 12,
    uniqueItems: true,
  })
  @IsArray()
  @ArrayMinSize(2)
  @ArrayMaxSize(12)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 100, { each: true })
  options: string[];

  @ApiPropertyOptional({
    description: 'Whether one may choose several of them. Left out: false.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  multiple?: boolean;
}

/** A question with choices. */
export const poll = defineContent({
  sending: {
    request: {
      poll: field<PollContent>(
        ApiPropertyOptional({ description: 'A question with choices.', type: PollContent }),
        IsOptional(),
        ValidateNested(),
        Type(() => PollContent),
      ),
    },
    wire: {
      poll: field<PollContent>(
        IsDefined(),
        ValidateNested(),
        Type(() => PollContent),
      ),
    },
    canReply: true,
    canMention: false,
    hasFile: false,
    relation: null,
  },
  body: {
    required: {},
    optional: {
      name: NAME,
      options: field<string[]>(
        ApiPropertyOptional({ description: 'The choices.', example: ['yes', 'no'], type: [String] }),
        IsOptional(),
        IsArray(),
        IsString({ each: true }),
      ),
    },
  },
});
