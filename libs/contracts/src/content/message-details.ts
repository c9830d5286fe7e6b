import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import {
  MEDIA_FAILURES,
  MEDIA_STATUSES,
  type MediaFailure,
  type MediaStatus,
  MESSAGE_CHANGES,
  type MessageChangeKind,
} from '../enums.js';
import { MessageBody } from './message-body.js';

/** The file of a message. */
export class MessageMedia {
  @ApiProperty({ description: 'Id of the file: the same value as messageId.', format: 'uuid' })
  @IsUUID()
  mediaId: string;

  @ApiProperty({
    description:
      'STORED: `GET /v1/messages/{messageId}/media` gives it. FAILED: it will not come; `reason` says why.',
    enum: MEDIA_STATUSES,
    example: 'STORED',
  })
  @IsIn(MEDIA_STATUSES)
  status: MediaStatus;

  @ApiProperty({
    description: 'Media type, as the sender names it.',
    type: String,
    nullable: true,
    example: 'image/jpeg',
  })
  @IsOptional()
  @IsString()
  mimeType: string | null;

  @ApiProperty({
    description: 'Size in bytes; null unless it is stored.',
    type: Number,
    nullable: true,
    example: 100000,
  })
  @IsOptional()
  @IsInt()
  size: number | null;

  @ApiProperty({
    description: 'SHA-256 of the file in hex; null unless it is stored.',
    type: String,
    nullable: true,
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  @IsOptional()
  @IsString()
  sha256: string | null;

  @ApiProperty({
    description:
      'Why it failed; null unless it did. INVALID: the message does not say where it is. TOO_LARGE: larger than is kept here, or than there is room for (`media` of GET /v1/limits). GONE: the platform does not have it. CORRUPT: it is not the file that was sent. UNAVAILABLE: it could not be fetched in time.',
    enum: MEDIA_FAILURES,
    nullable: true,
    example: null,
  })
  @IsOptional()
  @IsIn(MEDIA_FAILURES)
  reason: MediaFailure | null;
}

/** The message that another one answers. */
export class QuotedInbound {
  @ApiProperty({ description: 'Its platform message key.', example: '3EB0C0FFEE' })
  @IsString()
  keyId: string;

  @ApiPropertyOptional({
    description:
      'Address of who wrote it, where the platform says it; answers go to `chatId` of the message.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsOptional()
  @IsString()
  remoteJid?: string;

  @ApiPropertyOptional({
    description: 'What it said, as the answering side quotes it: nobody has checked it.',
    type: MessageBody,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageBody)
  body?: MessageBody;
}

/** A contact card of a message. */
export class ContactCard {
  @ApiProperty({
    description: 'Name on the card; null where it has none.',
    type: String,
    nullable: true,
    example: 'Ada',
  })
  @IsOptional()
  @IsString()
  displayName: string | null;

  @ApiProperty({
    description: 'Its numbers in E.164 form. One that does not name its country is left out.',
    type: [String],
    example: ['+4915112345678'],
  })
  @IsArray()
  @IsString({ each: true })
  phones: string[];
}

/** A button, or a row of a list, that a message offers. */
export class OfferedChoice {
  @ApiProperty({ description: 'What it reads.', example: 'Yes, please' })
  @IsString()
  text: string;

  @ApiPropertyOptional({
    description: 'Id that whoever offers it gave it: the answer has it as `choiceId`.',
    example: 'yes-please',
  })
  @IsOptional()
  @IsString()
  id?: string;

  @ApiPropertyOptional({ description: 'Address that it leads to.', example: 'https://example.com/orders/1' })
  @IsOptional()
  @IsString()
  linkUrl?: string;
}

/** Facts of somebody on the way, beside the place. */
export class LiveLocation {
  @ApiPropertyOptional({ description: 'How exact the place is, in metres.', example: 12 })
  @IsOptional()
  @IsNumber()
  accuracy?: number;

  @ApiPropertyOptional({ description: 'Speed in metres per second.', example: 1.4 })
  @IsOptional()
  @IsNumber()
  speed?: number;

  @ApiPropertyOptional({ description: 'Direction in degrees, clockwise from north.', example: 90 })
  @IsOptional()
  @IsNumber()
  direction?: number;

  @ApiPropertyOptional({ description: 'Words beside it.', example: 'I am on my way' })
  @IsOptional()
  @IsString()
  caption?: string;
}

/** Reasons for which a message is shown without its content, where its kind is supported. */
export const UNSUPPORTED_REASONS = ['UNREADABLE', 'TOO_LARGE', 'WITHHELD'] as const;
/** Value of `UNSUPPORTED_REASONS`. */
export type UnsupportedReason = (typeof UNSUPPORTED_REASONS)[number];

/** The advert that brought a message. */
export class MessageReferral {
  @ApiPropertyOptional({ description: 'What its source is.', example: 'ad' })
  @IsOptional()
  @IsString()
  sourceType?: string;

  @ApiPropertyOptional({ description: "The platform's id of its source.", example: '120210000000000000' })
  @IsOptional()
  @IsString()
  sourceId?: string;

  @ApiPropertyOptional({ description: 'Address of its source.', example: 'https://fb.me/example' })
  @IsOptional()
  @IsString()
  sourceUrl?: string;

  @ApiPropertyOptional({
    description: "The platform's id of the click (`ctwa_clid`), by which conversions are reported.",
    example: 'ARAexampleclick',
  })
  @IsOptional()
  @IsString()
  clickId?: string;

  @ApiPropertyOptional({ description: 'Its headline.', example: 'Cakes, two for one' })
  @IsOptional()
  @IsString()
  title?: string;

  @ApiPropertyOptional({ description: 'Its text.', example: 'Only this week.' })
  @IsOptional()
  @IsString()
  body?: string;

  @ApiPropertyOptional({ description: 'Address of its picture.', example: 'https://example.com/cake.jpg' })
  @IsOptional()
  @IsString()
  thumbnailUrl?: string;

  @ApiPropertyOptional({ description: "The platform's name of where the advert was.", example: 'FB_Ads' })
  @IsOptional()
  @IsString()
  conversionSource?: string;

  @ApiPropertyOptional({
    description: "The platform's name of the way by which the chat was entered.",
    example: 'ctwa_ad',
  })
  @IsOptional()
  @IsString()
  entryPoint?: string;

  @ApiPropertyOptional({ description: 'The app that it was entered from.', example: 'instagram' })
  @IsOptional()
  @IsString()
  app?: string;
}

/** The earlier message that a message changes. */
export class MessageChange {
  @ApiProperty({
    description:
      'EDITED: `body` is what the earlier message says from now on. REVOKED: the sender took it back.',
    enum: MESSAGE_CHANGES,
    example: 'EDITED',
  })
  @IsIn(MESSAGE_CHANGES)
  kind: MessageChangeKind;

  @ApiProperty({ description: 'keyId of the earlier message.', example: '3EB0C0FFEE' })
  @IsString()
  keyId: string;
}

/** Author of an inbound message, and what it refers to. */
export class MessageOrigin {
  @ApiProperty({
    description: "The sender's address; in a group another one than `contact`.",
    example: '4915112345678@s.whatsapp.net',
  })
  sender: string;

  @ApiProperty({ description: "The sender's display name.", type: String, nullable: true, example: 'Ada' })
  pushName: string | null;

  @ApiProperty({ description: 'The message it answers, if it does.', type: QuotedInbound, nullable: true })
  quoted: QuotedInbound | null;

  @ApiProperty({
    description: 'Addresses of the people named in it.',
    type: [String],
    example: ['4915112345678@s.whatsapp.net'],
  })
  mentions: string[];

  @ApiProperty({
    description: 'What it does to an earlier message, of an edit or a revocation.',
    type: MessageChange,
    nullable: true,
  })
  change: MessageChange | null;
}

/** A tenant's own data on a message: stored with it and repeated in each of its events. */
export type Metadata = Record<string, string>;
