import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Min } from 'class-validator';
import { CALL_STATES, type CallState } from '../../llm/call-log.js';
import type { CallCounts, GivenTokens } from '../../llm/llm-keys.js';
import { LLM_CALLS, type LlmCallKind } from '../../llm/rules.js';
import type { Usage } from '../../llm/usage.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';

export class CallCountsView implements CallCounts {
  @ApiProperty({ description: 'All of them.', example: 12 })
  begun: number;

  @ApiProperty({ description: 'Answers that were given from beginning to end.', example: 8 })
  complete: number;

  @ApiProperty({ description: 'Answers that a rule cut.', example: 1 })
  cut: number;

  @ApiProperty({ description: 'Answers whose caller hung up before the end.', example: 1 })
  left: number;

  @ApiProperty({ description: 'Calls that were answered with an error.', example: 1 })
  refused: number;

  @ApiProperty({ description: 'Calls that are being answered now.', example: 1 })
  open: number;

  @ApiProperty({ description: 'Most calls that were open at the same time.', example: 4 })
  mostOpen: number;
}

export class UsageView implements Usage {
  @ApiProperty({ description: 'Tokens of what was asked.', example: 9_600 })
  promptTokens: number;

  @ApiProperty({ description: 'Tokens of the answers.', example: 640 })
  completionTokens: number;

  @ApiProperty({ description: 'Those of what was asked that came from a cache.', example: 1_024 })
  cachedTokens: number;
}

export class GivenTokensView extends UsageView implements GivenTokens {
  @ApiProperty({ description: 'Seconds of the files whose words were given.', example: 30 })
  audioSeconds: number;
}

export class LlmKeyView {
  @ApiProperty({ description: 'The key, as callers send it.', example: 'test-key' })
  key: string;

  @ApiProperty({ description: 'Calls for an answer.', type: CallCountsView })
  chat: CallCounts;

  @ApiProperty({ description: 'Calls for the words of a file.', type: CallCountsView })
  transcription: CallCounts;

  @ApiProperty({ description: 'Calls for the list of models.', type: CallCountsView })
  models: CallCounts;

  @ApiProperty({
    description: 'What all complete answers have used, told to the caller or not.',
    type: GivenTokensView,
  })
  given: GivenTokens;
}

export class LlmKeyList {
  @ApiProperty({ description: 'The keys that were used or have rules.', type: [LlmKeyView] })
  items: LlmKeyView[];
}

export class CallsSince {
  @ApiPropertyOptional({ description: '`cursor` of an earlier answer.', example: 12, default: 0 })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  since?: number;
}

export class LlmCallView {
  @ApiProperty({ description: 'Number among the calls of its key.', example: 1 })
  number: number;

  @ApiProperty({ description: 'Id of its answer.', example: 'chat-0198c2a4-7c1e-7b52-9f0e-3a5d1c2b4e6f' })
  id: string;

  @ApiProperty({ description: 'Kind of call.', enum: LLM_CALLS, example: 'chat' })
  call: LlmCallKind;

  @ApiProperty({
    description: 'CUT: by a rule. LEFT: by its caller. REFUSED: with an error.',
    enum: CALL_STATES,
    example: 'COMPLETE',
  })
  state: CallState;

  @ApiProperty({ description: 'When it came.', example: '2026-01-05T09:30:00.000Z', type: String })
  beganAt: Date;

  @ApiProperty({
    description: 'When it ended; null: it has not.',
    example: '2026-01-05T09:30:00.100Z',
    type: String,
    nullable: true,
  })
  endedAt: Date | null;

  @ApiProperty({
    description: 'HTTP status; null: nothing was answered.',
    example: 200,
    type: Number,
    nullable: true,
  })
  status: number | null;

  @ApiProperty({
    description:
      'What was asked. Of a text of more than 10,000 characters its beginning; null: more than 500 kB, or not read.',
    example: { model: 'stand-in', messages: [{ role: 'user', content: 'Are you open?' }] },
    type: Object,
    nullable: true,
  })
  asked: unknown;

  @ApiProperty({
    description: 'Words of the answer, or of what it would have been; null: there was none.',
    example: 'You wrote: Are you open?',
    type: String,
    nullable: true,
  })
  said: string | null;

  @ApiProperty({
    description: 'Its tokens; null: it has none.',
    example: { promptTokens: 8, completionTokens: 6, cachedTokens: 0 },
    type: UsageView,
    nullable: true,
  })
  usage: Usage | null;
}

export class LlmCallList {
  @ApiProperty({ description: 'In the order in which they came.', type: [LlmCallView] })
  items: LlmCallView[];

  @ApiProperty({ description: 'What comes later comes after this.', example: 14 })
  cursor: number;

  @ApiProperty({ description: 'How many of those asked for were too old to be kept.', example: 0 })
  lost: number;
}
