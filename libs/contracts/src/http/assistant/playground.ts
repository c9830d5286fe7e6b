import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Min,
  ValidateNested,
} from 'class-validator';
import { MayBeAbsent } from '../may-be-absent.js';
import { ToolCallView, TURN_OUTCOMES, type TurnOutcome } from './turns.js';

/** Sides of a conversation that is tried out. */
export const PLAY_SIDES = ['contact', 'business'] as const;
/** Value of `PLAY_SIDES`. */
export type PlaySide = (typeof PLAY_SIDES)[number];

/** A message of a conversation that is tried out. */
export class PlayMessage {
  @ApiProperty({ description: 'Who says it.', enum: PLAY_SIDES, example: 'contact' })
  @IsIn(PLAY_SIDES)
  from: PlaySide;

  @ApiProperty({ description: 'What is said.', example: 'When do you open?', minLength: 1, maxLength: 4_000 })
  @IsString()
  @Length(1, 4_000)
  text: string;
}

/** Body of `POST /v1/sessions/:id/assistant/playground`. */
export class PlayBody {
  @ApiProperty({
    description: 'The conversation, oldest first; the last message is the contact’s, and is answered.',
    type: [PlayMessage],
    minItems: 1,
    maxItems: 50,
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ValidateNested({ each: true })
  @Type(() => PlayMessage)
  messages: PlayMessage[];

  @ApiPropertyOptional({
    description: 'Whether it is answered by the version that holds, and not by the draft. Left out: false.',
    example: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  published?: boolean = false;
}

/** Answer that the assistant would give. */
export class PlayedAnswer {
  @ApiProperty({
    description: 'Messages that the contact would read, in order; none: nothing would be sent.',
    type: [String],
    example: ['We open at seven.'],
  })
  @IsArray()
  @IsString({ each: true })
  texts: string[];

  @ApiProperty({
    description: 'Why it is answered, or not, as in the list of turns.',
    enum: TURN_OUTCOMES,
    example: 'ANSWERED',
  })
  @IsIn(TURN_OUTCOMES)
  outcome: TurnOutcome;

  @ApiProperty({
    description: 'More about the outcome, as the reason of a handoff or the code of a failure.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  detail: string | null;

  @ApiProperty({
    description: 'Version of the settings; null: the draft.',
    type: 'integer',
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsInt()
  version: number | null;

  @ApiProperty({
    description: 'Ids of the sources of which the model read passages, the best first.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: [],
  })
  @IsArray()
  @IsUUID(undefined, { each: true })
  sources: string[];

  @ApiProperty({
    description: 'Calls of tools, in order; only those that change nothing are made.',
    type: [ToolCallView],
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ToolCallView)
  toolCalls: ToolCallView[];

  @ApiProperty({ description: 'Tokens that it cost.', type: 'integer', minimum: 0, example: 420 })
  @IsInt()
  @Min(0)
  tokens: number;
}
