import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { LLM_CALLS, type LlmCallKind, type LlmRule, type RuleCondition } from '../../llm/rules.js';
import type { Usage } from '../../llm/usage.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

const MOST_RULES = 100;
const MOST_TOKENS = 10_000_000;
const LONGEST_TEXT = 200_000;
const LONGEST_MS = 3_600_000;
const TOOL_NAME = /^[\w-]{1,64}$/;

const TEXT = `What is answered; without it, nothing. \`{text}\` becomes the last message of the user (of a transcription: the words of the file), \`{result}\` the
results of the tools.`;
const AFTER_TOOL = `Tool whose result comes last. Without it, the rule holds for results of tools as well, unless it calls tools itself.`;
const CUT_AFTER = `The connection is cut after so many pieces. Of a stream they are words and parts of arguments, otherwise the halves of the body. 0: before the
first byte. More than there are: before the end.`;
const ARGUMENTS = 'JSON text of its arguments; whatever it is, it is sent so.';
const OBEDIENT = `Where no rule holds, it does what anybody writes: it calls each tool that is named with arguments in braces, offered or not, and each offered
one that is mentioned, tells its instructions to who asks, and repeats what it was told.`;

export class ConditionBody implements RuleCondition {
  @ApiPropertyOptional({ description: 'Kind of call.', enum: LLM_CALLS, example: 'chat', default: 'chat' })
  @MayBeAbsent()
  @IsIn(LLM_CALLS)
  call?: LlmCallKind;

  @ApiPropertyOptional({ description: 'Model that is asked for.', example: 'stand-in' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 200)
  model?: string;

  @ApiPropertyOptional({
    description: 'Part of the last message of a user, or of the words of the file, in whatever case.',
    example: 'my order',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 1_000)
  text?: string;

  @ApiPropertyOptional({ description: 'How many messages of users the request has.', example: 2 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  turn?: number;

  @ApiPropertyOptional({ description: AFTER_TOOL, example: 'find_order' })
  @MayBeAbsent()
  @Matches(TOOL_NAME)
  afterTool?: string;
}

export class RuleToolCall {
  @ApiProperty({ description: 'Name of the tool, offered or not.', example: 'find_order' })
  @Matches(TOOL_NAME)
  name: string;

  @ApiProperty({ description: ARGUMENTS, example: '{"number": 7}' })
  @IsString()
  @MaxLength(10_000)
  arguments: string;
}

export class RuleUsage implements Partial<Usage> {
  @ApiPropertyOptional({ description: 'Tokens of what was asked.', example: 1_200 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MOST_TOKENS)
  promptTokens?: number;

  @ApiPropertyOptional({ description: 'Tokens of the answer.', example: 80 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MOST_TOKENS)
  completionTokens?: number;

  @ApiPropertyOptional({ description: 'Those of what was asked that came from a cache.', example: 1_024 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MOST_TOKENS)
  cachedTokens?: number;
}

export class RuleError {
  @ApiProperty({ description: 'HTTP status.', example: 429 })
  @IsInt()
  @Min(400)
  @Max(599)
  status: number;

  @ApiPropertyOptional({ description: '`code` of the error.', example: 'insufficient_quota' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  code?: string;

  @ApiPropertyOptional({ description: '`message` of the error.', example: 'You have no more credit.' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 1_000)
  message?: string;

  @ApiPropertyOptional({
    description: 'Seconds of the header Retry-After; without it there is none.',
    example: 2,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(86_400)
  retryAfterSeconds?: number;
}

export class RuleBody implements LlmRule {
  @ApiPropertyOptional({
    description: 'Which calls it is for: without it, every answer.',
    type: ConditionBody,
  })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => ConditionBody)
  when?: ConditionBody;

  @ApiPropertyOptional({ description: 'How many calls it answers; without it, all.', example: 1 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  times?: number;

  @ApiPropertyOptional({ description: TEXT, example: 'Your order is on its way.' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(LONGEST_TEXT)
  text?: string;

  @ApiPropertyOptional({ description: 'Tools that it calls.', type: [RuleToolCall] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => RuleToolCall)
  toolCalls?: RuleToolCall[];

  @ApiPropertyOptional({
    description: 'Numbers in place of those that follow from the texts.',
    type: RuleUsage,
  })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => RuleUsage)
  usage?: RuleUsage;

  @ApiPropertyOptional({
    description: 'No numbers of tokens, asked for or not.',
    example: true,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  hidesUsage?: boolean;

  @ApiPropertyOptional({ description: 'Time until anything is answered.', example: 2_000, default: 0 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_MS)
  delayMs?: number;

  @ApiPropertyOptional({
    description: 'Time from one piece to the next, as `cutAfter` counts them; without it, all go at once.',
    example: 50,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_MS)
  pieceMs?: number;

  @ApiPropertyOptional({ description: CUT_AFTER, example: 2 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  cutAfter?: number;

  @ApiPropertyOptional({ description: 'It is refused with this error.', type: RuleError })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => RuleError)
  error?: RuleError;
}

export class RulesBody {
  @ApiProperty({ description: 'The first that holds for a call answers it.', type: [RuleBody] })
  @IsArray()
  @ArrayMaxSize(MOST_RULES)
  @ValidateNested({ each: true })
  @Type(() => RuleBody)
  rules: RuleBody[];

  @ApiPropertyOptional({ description: OBEDIENT, example: false, default: false })
  @MayBeAbsent()
  @IsBoolean()
  obedient?: boolean;
}

export class RulesView {
  @ApiProperty({ description: 'The rules in their order.', type: [RuleBody] })
  rules: LlmRule[];

  @ApiProperty({ description: 'How many calls each of them has answered.', example: [1], type: [Number] })
  used: number[];

  @ApiProperty({ description: OBEDIENT, example: false })
  obedient: boolean;
}
