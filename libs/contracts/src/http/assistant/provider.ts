import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Length, Matches, MaxLength, Min } from 'class-validator';

const MODEL = { minLength: 1, maxLength: 200 };
/** A header holds nothing else. */
const PRINTABLE = /^[\x21-\x7e]+$/;

/** Body of `PUT /v1/assistant`: the provider of language models of the tenant. */
export class PutProviderBody {
  @ApiProperty({
    description: 'Base address of an OpenAI-compatible API: https, a public host, no user info.',
    example: 'https://models.example.com/v1',
    minLength: 1,
    maxLength: 2048,
  })
  @IsString()
  @Length(1, 2048)
  baseUrl: string;

  @ApiProperty({ description: 'Model that answers.', example: 'small-model', ...MODEL })
  @IsString()
  @Length(1, 200)
  model: string;

  @ApiPropertyOptional({
    description: 'Model of the same provider that is asked where the first one fails; null: none.',
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
