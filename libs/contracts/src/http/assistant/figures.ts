import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { MayBeAbsent } from '../may-be-absent.js';
import { wholeNumber } from '../page.js';
import { TURN_OUTCOMES, type TurnOutcome } from './turns.js';

/** Most days that figures go back: turns are kept for as long. */
export const FIGURE_DAYS_MAX = 30;

/** Query of `GET /v1/sessions/:id/assistant/figures`. */
export class FiguresQuery {
  @ApiPropertyOptional({
    description: 'Number of days in UTC, today among them. Left out: 7.',
    type: 'integer',
    minimum: 1,
    maximum: FIGURE_DAYS_MAX,
    example: 7,
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => wholeNumber(value))
  @IsInt()
  @Min(1)
  @Max(FIGURE_DAYS_MAX)
  days?: number = 7;
}

const COUNT = { type: 'integer' as const, minimum: 0 };

/** Number of turns that ended in one way. */
export class OutcomeFigure {
  @ApiProperty({
    description: 'Why they were answered, or not.',
    enum: TURN_OUTCOMES,
    example: 'HANDED_OFF',
  })
  @IsIn(TURN_OUTCOMES)
  outcome: TurnOutcome;

  @ApiProperty({
    description: 'More about the outcome, as the reason of a handoff or the code of a failure.',
    type: String,
    nullable: true,
    example: 'CONTACT_ASKED',
  })
  @IsOptional()
  @IsString()
  detail: string | null;

  @ApiProperty({ description: 'Number of turns.', ...COUNT, example: 12 })
  @IsInt()
  @Min(0)
  turns: number;
}

/** Figures of one day, or of all of them. */
class Counts {
  @ApiProperty({ description: 'Turns that have ended.', ...COUNT, example: 240 })
  @IsInt()
  @Min(0)
  turns: number;

  @ApiProperty({ description: 'Turns that were answered by the assistant alone.', ...COUNT, example: 201 })
  @IsInt()
  @Min(0)
  answered: number;

  @ApiProperty({ description: 'Turns after which a person had the conversation.', ...COUNT, example: 12 })
  @IsInt()
  @Min(0)
  handedOff: number;

  @ApiProperty({ description: 'Tokens of all calls that were answered.', ...COUNT, example: 96_400 })
  @IsInt()
  @Min(0)
  tokens: number;
}

/** Figures of one day. */
export class DayFigure extends Counts {
  @ApiProperty({ description: 'The day, in UTC.', example: '2026-01-31', pattern: '^\\d{4}-\\d{2}-\\d{2}$' })
  @Matches(/^\d{4}-\d{2}-\d{2}$/)
  day: string;
}

/** Figures of the assistant of a session, by the day on which a turn began. */
export class AssistantFigures extends Counts {
  @ApiProperty({
    description: 'Since when (ISO 8601, UTC).',
    example: '2026-01-25T00:00:00.000Z',
  })
  @IsISO8601()
  since: string;

  @ApiProperty({ description: 'Conversations in which there was a turn.', ...COUNT, example: 88 })
  @IsInt()
  @Min(0)
  conversations: number;

  @ApiProperty({
    description: 'Tokens of a conversation on average, rounded: what one costs.',
    ...COUNT,
    example: 1_095,
  })
  @IsInt()
  @Min(0)
  tokensPerConversation: number;

  @ApiProperty({
    description:
      'Calls of models that were cut off: they count against the daily limit, and nobody has the answer.',
    ...COUNT,
    example: 1,
  })
  @IsInt()
  @Min(0)
  lostCalls: number;

  @ApiProperty({
    description: 'Ways in which turns ended, the most frequent first, 100 at most.',
    type: [OutcomeFigure],
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => OutcomeFigure)
  outcomes: OutcomeFigure[];

  @ApiProperty({ description: 'The days, oldest first; one without a turn has zeros.', type: [DayFigure] })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => DayFigure)
  days: DayFigure[];
}
