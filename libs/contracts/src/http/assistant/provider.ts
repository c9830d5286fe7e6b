import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../may-be-absent.js';

/** Kinds of providers: an OpenAI-compatible API, or a brain of somebody else: plain HTTP, Dify or Flowise. */
export const PROVIDER_KINDS = ['openai', 'http', 'dify', 'flowise'] as const;
/** Value of `PROVIDER_KINDS`. */
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

const MODEL = { minLength: 1, maxLength: 200 };
/** A header holds nothing else. */
const PRINTABLE = /^[\x21-\x7e]+$/;

/** Body of `PUT /v1/assistant`: the provider of language models of the tenant. */
export class PutProviderBody {
  @ApiPropertyOptional({
    description: `What is asked there. Left out: openai.
- openai: an OpenAI-compatible API.
- http: a program of your own. It gets \`{conversationId, sessionId, messages: [{role: user | assistant, text}]}\` as a POST and answers \`{text}\` or \`{parts: [text]}\`, with \`handoff: true\` where a person shall have the conversation, and \`usage: {promptTokens, completionTokens}\` where it knows them.
- dify: a chat app of Dify. flowise: a flow of Flowise. An answer with \`[hand_over]\` in it hands the conversation to a person.`,
    enum: PROVIDER_KINDS,
    example: 'openai',
  })
  @MayBeAbsent()
  @IsIn(PROVIDER_KINDS)
  kind?: ProviderKind = 'openai';

  @ApiProperty({
    description:
      'Address: https, a public host, no user info. openai and dify: the base of the API, as with `/v1` at its end; http: where questions are posted; flowise: that of the flow, with `/api/v1/prediction/` and its id.',
    example: 'https://models.example.com/v1',
    minLength: 1,
    maxLength: 2048,
  })
  @IsString()
  @Length(1, 2048)
  baseUrl: string;

  @ApiProperty({
    description:
      'Model that answers; where kind is not openai a name of yours, under which its calls are listed.',
    example: 'small-model',
    ...MODEL,
  })
  @IsString()
  @Length(1, 200)
  model: string;

  @ApiPropertyOptional({
    description:
      'Model of the same provider that is asked where the first one fails, of the kind openai alone; null: none.',
    type: String,
    nullable: true,
    example: 'other-model',
    ...MODEL,
  })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  fallbackModel?: string | null;

  @ApiPropertyOptional({
    description: 'Key of the provider. Left out: the one that is stored stays; null: there is none.',
    type: String,
    nullable: true,
    example: 'a-key-of-the-provider',
    maxLength: 500,
    pattern: PRINTABLE.source,
  })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  @Matches(PRINTABLE, { message: 'key must be printable ASCII without blanks' })
  key?: string | null;
}

/** The provider of a tenant; its key is never shown. */
export class ProviderView {
  @ApiProperty({ description: 'What is asked there.', enum: PROVIDER_KINDS, example: 'openai' })
  @IsIn(PROVIDER_KINDS)
  kind: ProviderKind = 'openai';

  @ApiProperty({ description: 'Base address of the API.', example: 'https://models.example.com/v1' })
  @IsString()
  baseUrl: string;

  @ApiProperty({ description: 'Model that answers.', example: 'small-model' })
  @IsString()
  model: string;

  @ApiProperty({
    description: 'Model that is asked where the first one fails.',
    type: String,
    nullable: true,
    example: 'other-model',
  })
  @IsOptional()
  @IsString()
  fallbackModel: string | null;

  @ApiProperty({
    description: 'Last four characters of the key; null: there is none.',
    type: String,
    nullable: true,
    example: 'k3y4',
  })
  @IsOptional()
  @IsString()
  keyEnding: string | null;

  @ApiProperty({
    description: 'How often it was changed: what a page shows that somebody else changes meanwhile.',
    type: 'integer',
    example: 1,
    minimum: 1,
  })
  @IsInt()
  @Min(1)
  revision: number;
}

/** Answer of `GET` and `PUT /v1/assistant`. */
export class TenantAssistant {
  @ApiProperty({
    description:
      'The provider of your own; null: you have none, and the one of the operator answers, where there is one.',
    type: ProviderView,
    nullable: true,
  })
  provider: ProviderView | null;
}
