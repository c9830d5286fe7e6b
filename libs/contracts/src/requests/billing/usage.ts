import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineEvent, defineRequest } from '../../contract.js';

/** What a plan does once its tokens are used up: go on and bill, or refuse until the month ends. */
export const TOKEN_OVERAGES = ['bill', 'block'] as const;
/** One of `TOKEN_OVERAGES`. */
export type TokenOverage = (typeof TOKEN_OVERAGES)[number];

/** Tokens of one block beyond what the plan includes (specification, "Limits"). */
export const TOKEN_BLOCK = 70_000_000;
/** Price of a started block, in cents. */
export const TOKEN_BLOCK_CENTS = 2_000;
/** Currency of every price, as ISO 4217 writes it. */
export const CURRENCY = 'USD';

/** Tokens of one call at most: more is a fault of whoever tells, and would be billed. */
export const LLM_CALL_MAX = 10_000_000;

/**
 * Payload of `llm.called`: one call of a language model for an answer of a `MANAGED` session, never of an `EXTERNAL` one. The
 * stream keeps it for a day: whoever tells keeps its own row until billing has it.
 */
export class LlmCalledV1 {
  @IsUUID() sessionId: string;
  /** The service that called; together with the id of the envelope it names the call. */
  @IsString() @Length(1, 50) source: string;
  /** Of question and answer together. */
  @IsInt() @Min(0) @Max(LLM_CALL_MAX) tokens: number;
  /** When, in domain time (ISO 8601, UTC); decides the day and the month. */
  @IsISO8601() timestamp: string;
}

/** A month as it is asked for. */
const MONTH = /^2\d{3}-(0[1-9]|1[0-2])$/;

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

/** Request of `get-usage` of billing. */
export class GetUsageV1 extends UsageQuery {
  @IsUUID() tenantId: string;
}

/** Calls and tokens of a day or of a session. */
export class LlmUsage {
  /** A date, or a session id. */
  @IsString() key: string;
  @IsInt() calls: number;
  @IsInt() tokens: number;
}

/** What is used of the tokens of a month, and what it costs. */
export class TokenUsage {
  @ApiProperty({ description: 'Tokens used.', type: 'integer', example: 71_000_000, minimum: 0 })
  @IsInt()
  used: number;

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
      'Beyond what is included: `bill` goes on, by the block; `block` refuses sends until the month ends.',
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

/** Reply of `get-usage`. */
export class UsageReply {
  @Matches(MONTH) month: string;
  /** First moment of the month, and the first one after it (ISO 8601, UTC). */
  @IsISO8601() from: string;
  @IsISO8601() to: string;
  @ValidateNested() @Type(() => TokenUsage) tokens: TokenUsage;
  @IsInt() calls: number;
  @IsArray() @ValidateNested({ each: true }) @Type(() => LlmUsage) days: LlmUsage[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => LlmUsage) sessions: LlmUsage[];
}

/** Request of `count-messages` of limits: dates in UTC, the last one left out. */
export class CountMessagesV1 {
  @IsUUID() tenantId: string;
  @IsISO8601() from: string;
  @IsISO8601() to: string;
}

/** Messages of a day or of a session. */
export class MessageCount {
  /** A date, or a session id. */
  @IsString() key: string;
  @IsInt() messages: number;
}

/** Reply of `count-messages`: accepted ones, less those whose unit came back to the session. */
export class MessageCounts {
  @IsArray() @ValidateNested({ each: true }) @Type(() => MessageCount) days: MessageCount[];
  @IsArray() @ValidateNested({ each: true }) @Type(() => MessageCount) sessions: MessageCount[];
}

/** A language model was called for an answer. Internal: no endpoint gets it. */
export const LlmCalled = defineEvent('llm.called', 1, LlmCalledV1);
/** Calls, tokens and blocks of a month; `TENANT_NOT_FOUND` when there is no subscription. */
export const GetUsage = defineRequest('billing', 'get-usage', GetUsageV1, UsageReply);
/** Messages counted against the daily limits, by day and by session. */
export const CountMessages = defineRequest('limits', 'count-messages', CountMessagesV1, MessageCounts);
