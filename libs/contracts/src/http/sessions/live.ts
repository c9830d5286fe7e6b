import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
} from 'class-validator';
import { TYPING_STATES, type TypingState } from '../../enums.js';

/** Body of `POST /v1/sessions/:id/pairing-code`. */
export class PairingCodeBody {
  @ApiProperty({
    description: 'Number of the phone that shall be linked, with its country code.',
    example: '+4915112345678',
    minLength: 1,
    maxLength: 100,
  })
  @IsString()
  @Length(1, 100)
  phone: string;
}

/** Answer of `POST /v1/sessions/:id/pairing-code`. */
export class PairingCode {
  @ApiProperty({ description: 'What to type on the phone.', example: 'ABCD2345' })
  @IsString()
  code: string;

  @ApiProperty({
    description: 'When it stops being of use (ISO 8601, UTC).',
    example: '2026-01-31T12:03:00.000Z',
  })
  @IsISO8601()
  expiresAt: string;
}

/** Body of `POST /v1/sessions/:id/read`. */
export class MarkReadBody {
  @ApiProperty({
    description: 'Ids of messages that this session received.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: ['0198c0de-0000-7000-8000-000000000001'],
    minItems: 1,
    maxItems: 100,
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  messageIds: string[];
}

/** Body of `POST /v1/sessions/:id/typing`. */
export class TypingBody {
  @ApiProperty({
    description: 'Phone number or address of the contact who sees it, or address of a group.',
    example: '+4915112345678',
    minLength: 1,
    maxLength: 100,
  })
  @IsString()
  @Length(1, 100)
  to: string;

  @ApiProperty({
    description:
      'What is seen; it fades by itself after some seconds. Until then, or until `paused`, the number counts as online, and the phone of its owner gets no notifications.',
    enum: TYPING_STATES,
    example: 'composing',
  })
  @IsIn(TYPING_STATES)
  state: TypingState;
}

/** Answer of `GET /v1/sessions/:id/contacts/:phone`. */
export class ContactView {
  @ApiProperty({ description: 'The number in E.164 form.', example: '+4915112345678' })
  @IsString()
  phone: string;

  @ApiProperty({ description: 'Whether the platform knows the number.', example: true })
  @IsBoolean()
  exists: boolean;

  @ApiProperty({
    description: 'Where to write to; null for a number that the platform does not know.',
    type: String,
    nullable: true,
    example: '4915112345678@s.whatsapp.net',
  })
  @IsOptional()
  @IsString()
  address: string | null;
}
