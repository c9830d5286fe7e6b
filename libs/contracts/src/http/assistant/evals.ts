import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { PlayMessage } from './playground.js';

/** Largest number that a row can have. */
const LARGEST = 2_147_483_647;

/** Body of `PUT /v1/sessions/:id/assistant/evals`. */
export class DemandEvalsBody {
  @ApiProperty({
    description: 'Whether a draft is published only after a run of evals in which every conversation held.',
    example: true,
  })
  @IsBoolean()
  demanded: boolean;
}

/** Body of `POST /v1/sessions/:id/assistant/evals`. */
export class EvalsRunBody {
  @ApiProperty({
    description: 'Revision of the draft that was played; another one by now: `ASSISTANT_CONFLICT`.',
    type: 'integer',
    example: 2,
    minimum: 1,
    maximum: LARGEST,
  })
  @IsInt()
  @Min(1)
  @Max(LARGEST)
  revision: number;

  @ApiProperty({
    description: 'Number of conversations that were played.',
    type: 'integer',
    example: 40,
    minimum: 1,
    maximum: LARGEST,
  })
  @IsInt()
  @Min(1)
  @Max(LARGEST)
  conversations: number;

  @ApiProperty({
    description: 'Number of those in which an answer broke a rule.',
    type: 'integer',
    example: 0,
    minimum: 0,
    maximum: LARGEST,
  })
  @IsInt()
  @Min(0)
  @Max(LARGEST)
  failed: number;
}

/** A run of evals that was told. */
export class EvalsRun extends EvalsRunBody {
  @ApiProperty({ description: 'When it was told (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  at: string;
}

/** Body of `POST /v1/sessions/:id/assistant/judge`. */
export class JudgeBody {
  @ApiProperty({
    description:
      'The conversation, oldest first; the last message is the one of the business that is judged.',
    type: [PlayMessage],
    minItems: 1,
    maxItems: 50,
    example: [
      { from: 'contact', text: 'When do you open?' },
      { from: 'business', text: 'We open at seven.' },
    ],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => PlayMessage)
  messages: PlayMessage[];

  @ApiProperty({
    description: 'Sentences that shall be true of the last message, 500 characters each at most.',
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 500 },
    minItems: 1,
    maxItems: 10,
    example: ['It names the hours on weekdays.', 'It is friendly.'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  @IsString({ each: true })
  @Length(1, 500, { each: true })
  criteria: string[];
}

/** Verdict of a model about one sentence. */
export class Verdict {
  @ApiProperty({
    description: 'Whether the sentence is true of the message; null: the model has not said it.',
    type: 'boolean',
    nullable: true,
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  holds: boolean | null;

  @ApiProperty({
    description: 'Why, in words of the model, or why there is no verdict; null: it gave no reason.',
    type: String,
    nullable: true,
    example: 'It names no hours.',
  })
  @IsOptional()
  @IsString()
  reason: string | null;
}

/** Judgement of a message. */
export class Judgement {
  @ApiProperty({ description: 'A verdict for each criterion, in order.', type: [Verdict] })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Verdict)
  verdicts: Verdict[];

  @ApiProperty({ description: 'Tokens that it cost.', type: 'integer', minimum: 0, example: 210 })
  @IsInt()
  @Min(0)
  tokens: number;
}
