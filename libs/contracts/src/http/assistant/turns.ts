import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Min,
  ValidateNested,
} from 'class-validator';
import { ASSISTANT_MODES, type AssistantMode } from '../../enums.js';

/** Outcomes of a turn: why the assistant answered, or did not. */
export const TURN_OUTCOMES = [
  'ANSWERED',
  'SHADOWED', // the answer is kept and not sent
  'DRAFTED', // the answer became a draft: a person sends it, or nobody does
  'HANDED_OFF', // the conversation is a person's from then on
  'HUMAN_ANSWERED', // a person wrote in the conversation meanwhile
  'HUMAN_OWNS', // the conversation is a person's
  'OFF',
  'NOT_MANAGED', // the session is EXTERNAL
  'NOT_CONFIGURED', // nobody has said which model
  'CONTACT_LEFT_OUT', // the settings leave the contact out
  'CONTACT_OPTED_OUT', // the contact wants no messages
  'CONTACT_USED_UP', // the contact has had all answers of the day
  'OUTSIDE_HOURS', // the business is closed
  'SUBSCRIPTION', // the subscription does not allow it
  'TOKENS_USED_UP',
  'CALLS_USED_UP',
  'MESSAGES_USED_UP',
  'SESSION_AWAY', // the session takes no messages
  'PROVIDER_FAILED', // no model answered; the detail says what failed
  'REFUSED', // the message was refused, as a send by API would have been
  'TOO_LATE', // the last message had waited too long
] as const;
/** Value of `TURN_OUTCOMES`. */
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/** States of a call of a model: `LOST` says that it may have been answered, and paid for, and nobody has the answer. */
export const MODEL_CALL_STATES = ['BEGUN', 'ANSWERED', 'FAILED', 'LOST'] as const;
/** Value of `MODEL_CALL_STATES`. */
export type ModelCallState = (typeof MODEL_CALL_STATES)[number];

/** One call of a model, and what it cost. */
export class ModelCallView {
  @ApiProperty({ description: 'Model that was asked.', example: 'small-model' })
  @IsString()
  model: string;

  @ApiProperty({
    description:
      'BEGUN: it is under way. FAILED: it was refused, and cost nothing. LOST: it was cut off, and counts against the daily limit.',
    enum: MODEL_CALL_STATES,
    example: 'ANSWERED',
  })
  @IsIn(MODEL_CALL_STATES)
  state: ModelCallState;

  @ApiProperty({ description: 'Tokens of the question.', type: 'integer', example: 380, minimum: 0 })
  @IsInt()
  @Min(0)
  promptTokens: number;

  @ApiProperty({ description: 'Tokens of the answer.', type: 'integer', example: 40, minimum: 0 })
  @IsInt()
  @Min(0)
  completionTokens: number;

  @ApiProperty({
    description: 'Whether the provider told no numbers, and these are a guess.',
    example: false,
  })
  @IsBoolean()
  estimated: boolean;

  @ApiProperty({
    description: 'Whether the answer became that of the turn; one that messages have overtaken does not.',
    example: true,
  })
  @IsBoolean()
  used: boolean;
}

/** One call of a tool in a turn; what it was called with, and what it answered, is not kept. */
export class ToolCallView {
  @ApiProperty({ description: 'Name of the tool.', example: 'look_up_order' })
  @IsString()
  tool: string;

  @ApiProperty({
    description:
      'What became of it. DONE: it has answered. BAD_ARGUMENTS: the model called it with what its parameters do not allow, and it was not asked. NOT_IN_THIS_MODE: it changes something, and answers are not sent by themselves. WAITS_FOR_APPROVAL: a person decides on it; what comes of that takes its place, REFUSED among it. TOOL_FAILED: a tool of an MCP server says that it has failed. Otherwise what failed, as HTTP_500 or TIMEOUT; null: the call is under way, or was cut off.',
    type: String,
    nullable: true,
    example: 'DONE',
  })
  @IsOptional()
  @IsString()
  outcome: string | null;
}

/** One turn: messages of a contact that are answered together. */
export class TurnView {
  @ApiProperty({ description: 'Id of the turn.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Address of the chat.', example: '4915112345678@s.whatsapp.net' })
  @IsString()
  chat: string;

  @ApiProperty({
    description: 'When its first message came (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  startedAt: string;

  @ApiProperty({
    description: 'When it ended (ISO 8601, UTC); null: it has not.',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:09.000Z',
  })
  @IsOptional()
  @IsISO8601()
  endedAt: string | null;

  @ApiProperty({
    description: `Why it was answered, or not; null: it has not ended.
- SHADOWED: the answer was made and not sent, as the mode says. DRAFTED: it became a draft; \`jobs\` says whether a person has sent it.
- HANDED_OFF: a person has the conversation from then on; \`detail\` says why.
- HUMAN_ANSWERED: a person wrote meanwhile. HUMAN_OWNS: the conversation is a person's.
- OFF, NOT_MANAGED, NOT_CONFIGURED, CONTACT_LEFT_OUT, CONTACT_OPTED_OUT: the assistant is off, the session is EXTERNAL, nobody has said which model, the settings leave the contact out, the contact wants no messages.
- OUTSIDE_HOURS: the business is closed. CONTACT_USED_UP: the contact has had all answers of the day.
- SUBSCRIPTION, TOKENS_USED_UP, CALLS_USED_UP, MESSAGES_USED_UP: the plan does not allow it, or a limit is used up.
- SESSION_AWAY, TOO_LATE: the session was not connected, or the message had waited too long.
- PROVIDER_FAILED: no model answered. REFUSED: the answer was refused as a send would have been. \`detail\` says what failed.`,
    enum: TURN_OUTCOMES,
    type: String,
    nullable: true,
    example: 'ANSWERED',
  })
  @IsOptional()
  @IsIn(TURN_OUTCOMES)
  outcome: TurnOutcome | null;

  @ApiProperty({
    description: 'More about the outcome, as the code of a refusal.',
    type: String,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsString()
  detail: string | null;

  @ApiProperty({
    description:
      'Mode that held for the contact; null: it did not come to that, or the turn is of an earlier release.',
    enum: ASSISTANT_MODES,
    type: String,
    nullable: true,
    example: 'auto',
  })
  @IsOptional()
  @IsIn(ASSISTANT_MODES)
  mode: AssistantMode | null = null;

  @ApiProperty({
    description: 'Version of the settings that it was answered by; null: it did not come to that.',
    type: 'integer',
    nullable: true,
    example: 3,
  })
  @IsOptional()
  @IsInt()
  version: number | null;

  @ApiProperty({
    description:
      'Ids of the messages that were answered; none where it tells what came of a call that a person has approved.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: ['0198c0de-0000-7000-8000-000000000001'],
  })
  @IsArray()
  @IsUUID(undefined, { each: true })
  messages: string[];

  @ApiProperty({
    description: 'Jobs of the answer that were sent, in order.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: ['0198c0de-0000-7000-8000-000000000002'],
  })
  @IsArray()
  @IsUUID(undefined, { each: true })
  jobs: string[];

  @ApiProperty({
    description: 'Ids of the sources of which the model read passages for the answer, the best first.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: [],
  })
  @IsArray()
  @IsUUID(undefined, { each: true })
  sources: string[] = [];

  @ApiProperty({
    description: 'Tokens of all its calls that were answered.',
    type: 'integer',
    example: 420,
    minimum: 0,
  })
  @IsInt()
  @Min(0)
  tokens: number;

  @ApiProperty({ description: 'Its calls of models, in order.', type: [ModelCallView] })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ModelCallView)
  calls: ModelCallView[];

  @ApiProperty({ description: 'Its calls of tools, in order.', type: [ToolCallView] })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ToolCallView)
  toolCalls: ToolCallView[] = [];
}
