import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, ValidateNested } from 'class-validator';
import { TOKEN_OVERAGES, type TokenOverage } from '../../enums.js';

/** Tokens of one block beyond what the plan includes (specification, "Limits"). */
export const TOKEN_BLOCK = 70_000_000;

/** Price of a started block, in cents. */
export const TOKEN_BLOCK_CENTS = 2_000;

/** Currency of every price, as ISO 4217 writes it. */
export const CURRENCY = 'USD';

/** A month in UTC, as the query and the request name it. */
export const MONTH = /^2\d{3}-(0[1-9]|1[0-2])$/;

/** Query of `GET /v1/usage`. */
export class UsageQuery {
  @ApiProperty({
    description: 'Month in UTC; the one that runs, if left out.',
    example: '2026-01',
    pattern: MONTH.source,
    required: false,
  })
  @IsOptional()
  @Matches(MONTH, { message: 'month must be a month such as 2026-01' })
  month?: string;
}

/** Kinds of the tokens that were used. */
export class TokenKinds {
  @ApiProperty({ description: 'Tokens of questions.', type: 'integer', minimum: 0, example: 69_000_000 })
  @IsInt()
  prompt: number;

  @ApiProperty({ description: 'Tokens of answers.', type: 'integer', minimum: 0, example: 2_000_000 })
  @IsInt()
  completion: number;

  @ApiProperty({
    description: "Those of the questions that came from the model's cache; `prompt` has them, too.",
    type: 'integer',
    minimum: 0,
    example: 40_000_000,
  })
  @IsInt()
  cached: number;

  @ApiProperty({
    description: 'Those of all kinds that the model did not count: they were estimated.',
    type: 'integer',
    minimum: 0,
    example: 0,
  })
  @IsInt()
  estimated: number;
}

/** Usage and cost of the tokens of a month. */
export class TokenUsage {
  @ApiProperty({ description: 'Tokens used.', type: 'integer', example: 71_000_000, minimum: 0 })
  @IsInt()
  used: number;

  @ApiPropertyOptional({
    description:
      'The same by kind. `prompt` and `completion` are less than `used` where a call did not tell its kinds.',
    type: TokenKinds,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => TokenKinds)
  kinds?: TokenKinds;

  @ApiProperty({
    description: 'Tokens that the plan includes; null: no limit.',
    type: 'integer',
    nullable: true,
    example: 70_000_000,
  })
  @IsOptional()
  @IsInt()
  included: number | null;

  @ApiProperty({
    description: 'Included tokens that are left; null: no limit.',
    type: 'integer',
    nullable: true,
    example: 0,
  })
  @IsOptional()
  @IsInt()
  left: number | null;

  @ApiProperty({
    description:
      'Beyond what is included: `bill` goes on, by the block; `block` stops the assistant, and refuses sends of `MANAGED` sessions, until the month ends.',
    enum: TOKEN_OVERAGES,
    example: 'bill',
  })
  @IsIn(TOKEN_OVERAGES)
  overage: TokenOverage;

  @ApiProperty({ description: 'Tokens of a block.', type: 'integer', example: TOKEN_BLOCK })
  @IsInt()
  blockSize: number;

  @ApiProperty({
    description: 'Blocks that were started this month.',
    type: 'integer',
    example: 1,
    minimum: 0,
  })
  @IsInt()
  blocks: number;

  @ApiProperty({
    description: 'Price of a started block, in cents.',
    type: 'integer',
    example: TOKEN_BLOCK_CENTS,
  })
  @IsInt()
  blockPrice: number;

  @ApiProperty({
    description: 'Cost of the blocks so far, in cents; the price of the plan is on the invoice.',
    type: 'integer',
    example: 2_000,
  })
  @IsInt()
  cost: number;

  @ApiProperty({ description: 'Currency (ISO 4217).', example: CURRENCY })
  @IsString()
  currency: string;
}

/** Usage of a day or of a session. */
class Used {
  @ApiProperty({
    description: 'Messages accepted, less those that came back.',
    type: 'integer',
    example: 120,
  })
  messages: number;

  @ApiProperty({ description: 'Calls of a language model.', type: 'integer', example: 48 })
  llmCalls: number;

  @ApiProperty({ description: 'Tokens of these calls.', type: 'integer', example: 96_000 })
  tokens: number;
}

/** Usage of one day. */
export class DayUsed extends Used {
  @ApiProperty({ description: 'The day in UTC.', format: 'date', example: '2026-01-31' })
  day: string;
}

/** Usage of one session. */
export class SessionUsed extends Used {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  sessionId: string;
}

/** Answer of `GET /v1/usage`. */
export class MonthUsage {
  @ApiProperty({ description: 'The month in UTC.', example: '2026-01' })
  month: string;

  @ApiProperty({ description: 'Its first moment (ISO 8601, UTC).', example: '2026-01-01T00:00:00.000Z' })
  from: string;

  @ApiProperty({ description: 'The first moment after it.', example: '2026-02-01T00:00:00.000Z' })
  to: string;

  @ApiProperty({ description: 'Messages of the month.', type: 'integer', example: 3_600 })
  messages: number;

  @ApiProperty({ description: 'Calls of a language model.', type: 'integer', example: 1_440 })
  llmCalls: number;

  @ApiProperty({ description: 'Tokens, and what they cost so far.', type: TokenUsage })
  tokens: TokenUsage;

  @ApiProperty({ description: 'Days on which anything was used, in their order.', type: [DayUsed] })
  days: DayUsed[];

  @ApiProperty({
    description: 'Sessions that used anything, the one with the most messages first; deleted ones too.',
    type: [SessionUsed],
  })
  sessions: SessionUsed[];
}
