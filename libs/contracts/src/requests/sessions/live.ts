import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
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
  Matches,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import { TYPING_STATES, type TypingState } from '../../enums.js';
import { SessionRef } from './sessions.js';
import { Nothing } from '../tenants/tenants.js';

const DIGITS = /^\d{7,15}$/;

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
    description: 'Phone number or address of the contact who sees it.',
    example: '+4915112345678',
    minLength: 1,
    maxLength: 100,
  })
  @IsString()
  @Length(1, 100)
  to: string;

  @ApiProperty({
    description: 'What the contact sees; it fades by itself after some seconds.',
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

/** Request of `pairing-code` and `look-up-contact`; the number in digits. */
export class PhoneRequestV1 extends SessionRef {
  @Matches(DIGITS) phone: string;
}

/** A message by the names the platform knows it under. */
export class ReceivedMessageRef {
  @IsUUID() messageId: string;
  @IsString() contact: string;
  @IsString() keyId: string;
}

/** Request of `mark-read`. */
export class MarkReadV1 extends SessionRef {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ReceivedMessageRef) messages: ReceivedMessageRef[];
}

/** Request of `typing`; `to` is an address. */
export class TypingV1 extends SessionRef {
  @IsString() to: string;
  @IsIn(TYPING_STATES) state: TypingState;
}

const APP = 'session-worker';
/** Shows a code for the phone of this number. Throws `ALREADY_LINKED`, or `PLATFORM_UNAVAILABLE` when none comes in time. */
export const RequestPairingCode = defineRequest(APP, 'pairing-code', PhoneRequestV1, PairingCode);
/** Tells the contacts that their messages were read. Throws `SESSION_NOT_CONNECTED`. */
export const MarkRead = defineRequest(APP, 'mark-read', MarkReadV1, Nothing);
/** Shows a contact that somebody writes. Throws `SESSION_NOT_CONNECTED`. */
export const SetTyping = defineRequest(APP, 'typing', TypingV1, Nothing);
/** Asks the platform about a number. Throws `SESSION_NOT_CONNECTED`, `PLATFORM_UNAVAILABLE`. */
export const LookUpContact = defineRequest(APP, 'look-up-contact', PhoneRequestV1, ContactView);
