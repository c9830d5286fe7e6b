import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { ASSISTANT_MODES, type AssistantMode } from '../../enums.js';
import { MayBeAbsent } from '../may-be-absent.js';
import { BusinessHours } from './hours.js';
import { CALLED_TOOL_NAME } from './tools/tools.js';

const PHONES = { each: true, message: 'each of $property must be a phone number as +4915112345678' };
const IS_PHONE = /^\+[1-9]\d{5,14}$/;

/** Settings of the assistant of one session. What is left out has its default. */
export class AssistantSettings {
  @ApiPropertyOptional({
    description:
      'Whether the assistant answers: off answers nobody, shadow makes answers and sends none, draft has a person approve each, auto sends them. Left out: off.',
    enum: ASSISTANT_MODES,
    example: 'auto',
  })
  @MayBeAbsent()
  @IsIn(ASSISTANT_MODES)
  mode: AssistantMode = 'off';

  @ApiPropertyOptional({
    description:
      'What the model is told about the business and how to answer, in any language. Left out: empty.',
    example: 'You answer for a bakery in Kiel. We open at 7:00. Be short and friendly.',
    maxLength: 20_000,
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(20_000)
  instructions: string = '';

  @ApiPropertyOptional({
    description:
      'Whether it answers only what a source of its knowledge has something about: a person gets the conversation otherwise, and the question is listed as a gap. Left out: false.',
    example: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  onlyFromSources: boolean = false;

  @ApiPropertyOptional({
    description:
      'Names of your tools that the model may call, `server__tool` for one of an MCP server; it gets no other one. A brain of your own has its tools itself. Left out: none.',
    type: 'array',
    items: { type: 'string', pattern: CALLED_TOOL_NAME.source },
    example: ['look_up_order'],
    maxItems: 16,
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(16)
  @Matches(CALLED_TOOL_NAME, { each: true, message: 'each of $property must be the name of a tool' })
  tools: string[] = [];

  @ApiPropertyOptional({
    description:
      'Whether the model sees the pictures of the contact: the four newest, up to 3 MB each. The model has to take pictures; a brain of your own gets none. Left out: false.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  readPictures: boolean = false;

  @ApiPropertyOptional({
    description:
      'Whether the model reads the documents of the contact: PDF, Word (docx) and text up to 10 MB, the beginning of the two newest. Left out: false.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  readDocuments: boolean = false;

  @ApiPropertyOptional({
    description: 'Model of this session; null takes that of the provider. Left out: null.',
    type: String,
    nullable: true,
    example: 'small-model',
    minLength: 1,
    maxLength: 200,
  })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  model: string | null = null;

  @ApiPropertyOptional({
    description: 'Most tokens of one answer. Left out: 600.',
    type: 'integer',
    minimum: 16,
    maximum: 4_096,
    example: 600,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(16)
  @Max(4_096)
  maxAnswerTokens: number = 600;

  @ApiPropertyOptional({
    description:
      'Milliseconds without a further message after which the messages of a contact are answered together. Left out: 4000.',
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    example: 4_000,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(60_000)
  debounceMs: number = 4_000;

  @ApiPropertyOptional({
    description:
      'Milliseconds after the first message beyond which a further one delays the answer no more. Left out: 20000.',
    type: 'integer',
    minimum: 0,
    maximum: 120_000,
    example: 20_000,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(120_000)
  maxWaitMs: number = 20_000;

  @ApiPropertyOptional({
    description: 'Most messages of the conversation that the model reads. Left out: 20.',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    example: 20,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(100)
  historyMessages: number = 20;

  @ApiPropertyOptional({
    description: 'Hours beyond which messages of the conversation are too old for the model. Left out: 72.',
    type: 'integer',
    minimum: 1,
    maximum: 720,
    example: 72,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(720)
  historyHours: number = 72;

  @ApiPropertyOptional({
    description:
      'Milliseconds after which a message is too old to be answered, as after an outage. Left out: 600000.',
    type: 'integer',
    minimum: 10_000,
    maximum: 3_600_000,
    example: 600_000,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(10_000)
  @Max(3_600_000)
  answerWithinMs: number = 600_000;

  @ApiPropertyOptional({
    description:
      'Minutes for which the assistant leaves a conversation to a person who has written in it; 0: until the conversation is resumed. Left out: 60.',
    type: 'integer',
    minimum: 0,
    maximum: 43_200,
    example: 60,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(43_200)
  humanPauseMinutes: number = 60;

  @ApiPropertyOptional({
    description:
      'Whether the app on the phone may greet and excuse itself: a text that it sends in three chats or more within five seconds of what a contact has written is taken for its own, and not for a person’s. Left out: true.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  ignoreAutoReplies: boolean = true;

  @ApiPropertyOptional({
    description:
      'What the contact reads when a conversation is handed to a person; empty: nothing. Left out: empty.',
    example: 'One moment, a colleague will answer you.',
    maxLength: 1_000,
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(1_000)
  handoffText: string = '';

  @ApiPropertyOptional({
    description:
      'Words with which a contact asks for a person: a message that consists of one is handed over, and no model is asked. Left out: none.',
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 50 },
    example: ['human', 'agent'],
    maxItems: 20,
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(20)
  @IsString({ each: true })
  @Length(1, 50, { each: true })
  handoffWords: string[] = [];

  @ApiPropertyOptional({
    description: 'Whether the contact sees that somebody types before an answer. Left out: true.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  typing: boolean = true;

  @ApiPropertyOptional({
    description:
      'Whether paragraphs of an answer go out as messages of their own, three at most; from warmup tier 2 on. Left out: false.',
    example: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  splitAnswers: boolean = false;

  @ApiPropertyOptional({
    description: 'Whether it answers in groups, to messages that name the number. Left out: false.',
    example: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  groups: boolean = false;

  @ApiPropertyOptional({
    description:
      'Per cent of contacts for whom `mode` holds: always the same ones, and with more per cent those and further ones. For the others `otherMode` does. Left out: 100.',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    example: 100,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(100)
  contactsPercent: number = 100;

  @ApiPropertyOptional({
    description:
      'Mode for the contacts beyond `contactsPercent`; it never goes further than `mode`, in the order off, shadow, draft, auto. Left out: off.',
    enum: ASSISTANT_MODES,
    example: 'draft',
  })
  @MayBeAbsent()
  @IsIn(ASSISTANT_MODES)
  otherMode: AssistantMode = 'off';

  @ApiPropertyOptional({
    description: 'Phone numbers of the only contacts whom it answers; empty: it answers all. Left out: none.',
    type: 'array',
    items: { type: 'string', pattern: IS_PHONE.source },
    example: [],
    maxItems: 1_000,
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(1_000)
  @Matches(IS_PHONE, PHONES)
  answerOnly: string[] = [];

  @ApiPropertyOptional({
    description:
      'Phone numbers of contacts whom it never answers, such as suppliers and colleagues. Left out: none.',
    type: 'array',
    items: { type: 'string', pattern: IS_PHONE.source },
    example: ['+4915112345678'],
    maxItems: 1_000,
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(1_000)
  @Matches(IS_PHONE, PHONES)
  neverAnswer: string[] = [];

  @ApiPropertyOptional({
    description: 'Most answers to one contact in 24 hours. Left out: 100.',
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    example: 100,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(10_000)
  answersPerContactPerDay: number = 100;

  @ApiPropertyOptional({
    description:
      'Tokens for one contact in 24 hours beyond which no model is asked any more; null: no bound of their own. The answer that passes them is still given. Left out: null.',
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 100_000_000,
    example: 50_000,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  tokensPerContactPerDay: number | null = null;

  @ApiPropertyOptional({
    description:
      'Tokens of all conversations of the session in 24 hours beyond which no model is asked any more; null: no bound of their own. Left out: null.',
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 1_000_000_000,
    example: 1_000_000,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  tokensPerDay: number | null = null;

  @ApiPropertyOptional({
    description: 'When it answers; null: always. Left out: null.',
    type: BusinessHours,
    nullable: true,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => BusinessHours)
  hours: BusinessHours | null = null;

  @ApiPropertyOptional({
    description:
      'What a contact reads who writes outside of the hours, once in 8 hours; empty: nothing. No model is asked. Left out: empty.',
    example: 'We are closed now. We open at nine.',
    maxLength: 1_000,
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(1_000)
  awayText: string = '';

  @ApiPropertyOptional({
    description:
      'What stands before the first answer to a contact in 30 days; empty: nothing. Left out: empty.',
    example: 'Welcome to the bakery!',
    maxLength: 1_000,
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(1_000)
  openingText: string = '';

  @ApiPropertyOptional({
    description:
      'What tells a contact that a machine answers, as the law of many countries wants it. It stands before the first answer in 30 days; empty: nothing. Left out: empty.',
    example: 'A computer answers you here. Write "agent" for a person.',
    maxLength: 1_000,
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(1_000)
  disclosureText: string = '';
}
