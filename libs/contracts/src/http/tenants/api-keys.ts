import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { KEY_ENVIRONMENTS, type KeyEnvironment, type Scope, SCOPES } from '../../enums.js';

const ONE_SCOPE = SCOPES.map((scope) => scope.replace('*', '\\*')).join('|');
/** Scopes as one string, as OAuth writes them. */
const SCOPE_STRING = new RegExp(`^(${ONE_SCOPE})( (${ONE_SCOPE}))*$`);

/** Body of `POST /v1/api-keys`. */
export class CreateApiKeyBody {
  @ApiPropertyOptional({ description: 'Label for people.', example: 'CRM', minLength: 1, maxLength: 100 })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  name?: string;

  @ApiPropertyOptional({
    description:
      'What the key may do. By default what the key it replaces may do, else everything. Fewer than a calling key with `admin:*` has make a key beside it, where `rotates` does not say otherwise; any other key replaces itself. `webhooks:manage` is as strong as `messages:read`: an endpoint hears what is said.',
    enum: SCOPES,
    isArray: true,
    minItems: 1,
    uniqueItems: true,
    example: ['messages:send'],
  })
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];

  @ApiPropertyOptional({
    description:
      'Key id that the new key replaces: it ends in 24 hours, or at its own end where that is sooner. null: no key is replaced. Left out: the calling key, unless that has `admin:*` and the new one may do less or ends sooner. A key without `admin:*` replaces itself, and only that: null is 403.',
    type: String,
    nullable: true,
    pattern: '^[A-Za-z0-9]{12}$',
    example: null,
  })
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9]{12}$/, { message: 'rotates must be a key id: 12 letters or digits' })
  rotates?: string | null;

  @ApiPropertyOptional({
    description:
      'In how many days the key stops working; null: never, until it is replaced or revoked. Left out: at the end of the key that it replaces, else never. A key without `admin:*` cannot give more time than it has.',
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 3650,
    example: 365,
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(3_650)
  expiresInDays?: number | null;

  @ApiPropertyOptional({
    description: 'TEST: a key of the sandbox, made with a live key. By default that of the calling key.',
    enum: KEY_ENVIRONMENTS,
    example: 'TEST',
  })
  @ValidateIf(({ environment }: CreateApiKeyBody) => environment !== undefined)
  @IsIn(KEY_ENVIRONMENTS)
  environment?: KeyEnvironment;

  @ApiPropertyOptional({
    description:
      'The scopes as one string, separated by spaces, as answers have them. `scopes` beside it says the same.',
    pattern: SCOPE_STRING.source,
    example: 'messages:send',
  })
  @IsOptional()
  @IsString()
  @Matches(SCOPE_STRING, { message: `scope must be some of ${SCOPES.join(', ')}, separated by spaces` })
  scope?: string;
}

/** An API key without its secret. */
export class ApiKeyView {
  @ApiProperty({ description: 'Key id: the first 12 characters after the prefix.', example: '7Hq2mZ0aPx4K' })
  kid: string;

  @ApiProperty({
    description: 'LIVE: for the platform. TEST: for the sandbox, which has data of its own.',
    enum: KEY_ENVIRONMENTS,
    example: 'LIVE',
  })
  environment: KeyEnvironment;

  @ApiProperty({ description: 'Label for people.', example: 'CRM' })
  name: string;

  @ApiProperty({ description: 'What the key may do.', enum: SCOPES, isArray: true, example: ['*'] })
  scopes: Scope[];

  @ApiProperty({ description: 'The same as one string, separated by spaces.', example: '*' })
  scope: string;

  @ApiProperty({
    description:
      'Session for whose bot `PUT /v1/sessions/:id/external-config` made it, and with which it ends; null: made otherwise.',
    type: String,
    nullable: true,
    format: 'uuid',
    example: null,
  })
  sessionId: string | null;

  @ApiProperty({ description: 'Last four characters, to tell keys apart.', example: 'x4Kd' })
  last4: string;

  @ApiProperty({ description: 'When it was created (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  createdAt: string;

  @ApiProperty({
    description: 'Whether it is older than 90 days: it should be replaced.',
    example: false,
  })
  rotationDue: boolean;

  @ApiProperty({
    description: 'When it stops working (ISO 8601, UTC); null: never.',
    type: String,
    nullable: true,
    example: null,
  })
  expiresAt: string | null;

  @ApiProperty({
    description: 'When it was last used (ISO 8601, UTC), late by up to a minute.',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:00.000Z',
  })
  lastUsedAt: string | null;
}

/** A key that a new one replaces. */
export class RotatedKey {
  @ApiProperty({ description: 'Key id.', example: '7Hq2mZ0aPx4K' })
  kid: string;

  @ApiProperty({ description: 'When it stops working (ISO 8601, UTC).', example: '2026-02-01T12:00:00.000Z' })
  expiresAt: string;
}

/** Answer of `POST /v1/api-keys`. */
export class NewApiKey extends ApiKeyView {
  @ApiProperty({
    description: 'The whole key, for the Authorization header. Shown this once.',
    example: 'rk_live_…',
  })
  secret: string;

  @ApiProperty({ description: 'The key it replaces.', type: RotatedKey, nullable: true })
  rotated: RotatedKey | null;
}

/** Body of `POST /v1/api-keys/check`. */
export class CheckApiKeysBody {
  @ApiProperty({
    description: 'Strings that may be keys, each without anything around it. None of them is kept.',
    type: 'array',
    items: { type: 'string', maxLength: 256 },
    example: ['rk_live_…'],
    minItems: 1,
    maxItems: 100,
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MaxLength(256, { each: true })
  candidates: string[];
}

/** Findings about the form of a string. It is not repeated: an answer ends up in logs, too. */
export class CheckedApiKey {
  @ApiProperty({
    description:
      'Whether its prefix, length and checksum are those of a key of this service; not whether there is such a key.',
    example: true,
  })
  isKey: boolean;
}

/** Answer of `POST /v1/api-keys/check`. */
export class CheckedApiKeys {
  @ApiProperty({ description: 'One for each candidate, in their order.', type: [CheckedApiKey] })
  items: CheckedApiKey[];
}
