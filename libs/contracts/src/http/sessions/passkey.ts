import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { PASSKEY_STAGES, type PasskeyStage } from '../../enums.js';

/** Base64url without padding, as browsers write it. */
const BASE64URL = /^[\w-]+$/;
const BASE64URL_OR_NOTHING = /^[\w-]*$/;
/** Code that phone and gateway show. */
const CODE = /^[1-9A-Z]{4}-[1-9A-Z]{4}$/;

/** Answer of `GET /v1/sessions/:id/passkey`. */
export class PasskeyView {
  @ApiProperty({
    description:
      'Next step. challenge: answer the challenge with the passkey. sent: wait for the phone. compare: compare the code with that on the phone, and confirm it. finishing: wait until the number is linked.',
    enum: PASSKEY_STAGES,
    example: 'compare',
  })
  @IsIn(PASSKEY_STAGES)
  stage: PasskeyStage;

  @ApiProperty({
    description:
      "What to hand to `navigator.credentials.get` as `publicKey`, in its JSON form. Browsers take it on the platform's own page alone.",
    type: 'object',
    additionalProperties: true,
    example: {
      challenge: 'Y2hhbGxlbmdl',
      timeout: 600_000,
      rpId: 'whatsapp.com',
      userVerification: 'required',
    },
  })
  @IsObject()
  options: Record<string, unknown>;

  @ApiProperty({
    description: 'When this step is over, and the link with it (ISO 8601, UTC).',
    example: '2026-01-31T12:10:00.000Z',
  })
  @IsISO8601()
  expiresAt: string;

  @ApiProperty({
    description: 'Code to compare with that on the phone; null before there is one.',
    type: String,
    nullable: true,
    example: 'ABCD-2345',
  })
  @IsOptional()
  @IsString()
  code: string | null;
}

/** Response of an authenticator: what it has signed, and the signature. */
export class PasskeyAssertionResponse {
  @ApiProperty({
    description: 'What the browser says of page and challenge, in base64url.',
    example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    minLength: 1,
    maxLength: 4096,
    pattern: BASE64URL.source,
  })
  @IsString()
  @Length(1, 4096)
  @Matches(BASE64URL)
  clientDataJSON: string;

  @ApiProperty({
    description: 'What the authenticator says of itself, in base64url.',
    example: 'YXV0aGVudGljYXRvciBkYXRh',
    minLength: 1,
    maxLength: 4096,
    pattern: BASE64URL.source,
  })
  @IsString()
  @Length(1, 4096)
  @Matches(BASE64URL)
  authenticatorData: string;

  @ApiProperty({
    description: 'The signature, in base64url.',
    example: 'c2lnbmF0dXJl',
    minLength: 1,
    maxLength: 2048,
    pattern: BASE64URL.source,
  })
  @IsString()
  @Length(1, 2048)
  @Matches(BASE64URL)
  signature: string;

  @ApiPropertyOptional({
    description: 'Account that the passkey belongs to, in base64url.',
    type: String,
    nullable: true,
    example: 'dXNlcg',
    pattern: BASE64URL_OR_NOTHING.source,
    maxLength: 256,
  })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  @Matches(BASE64URL_OR_NOTHING)
  userHandle?: string | null;
}

/** Body of `POST /v1/sessions/:id/passkey/response`: the JSON form of what the browser answers. */
export class PasskeyAssertion {
  @ApiProperty({
    description: 'Id of the passkey, in base64url.',
    example: 'cGFzc2tleQ',
    minLength: 1,
    maxLength: 1400,
    pattern: BASE64URL.source,
  })
  @IsString()
  @Length(1, 1400)
  @Matches(BASE64URL)
  id: string;

  @ApiProperty({
    description: 'The same id, in base64url.',
    example: 'cGFzc2tleQ',
    minLength: 1,
    maxLength: 1400,
    pattern: BASE64URL.source,
  })
  @IsString()
  @Length(1, 1400)
  @Matches(BASE64URL)
  rawId: string;

  @ApiProperty({ description: 'Kind of credential.', enum: ['public-key'], example: 'public-key' })
  @IsIn(['public-key'])
  type: string;

  @ApiPropertyOptional({
    description: 'Where the passkey is.',
    type: String,
    nullable: true,
    example: 'platform',
    maxLength: 100,
  })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  authenticatorAttachment?: string | null;

  @ApiProperty({ description: 'What was signed, and the signature.', type: PasskeyAssertionResponse })
  @IsObject()
  @ValidateNested()
  @Type(() => PasskeyAssertionResponse)
  response: PasskeyAssertionResponse;

  @ApiPropertyOptional({
    description: 'Results of extensions.',
    type: 'object',
    additionalProperties: true,
    example: {},
  })
  @IsOptional()
  @IsObject()
  clientExtensionResults?: Record<string, unknown>;
}

/** Body of `POST /v1/sessions/:id/passkey/confirm`. */
export class ConfirmPasskeyBody {
  @ApiProperty({
    description: 'Code that was compared: the one that the gateway shows.',
    example: 'ABCD-2345',
    pattern: CODE.source,
  })
  @IsString()
  @Matches(CODE)
  code: string;
}
