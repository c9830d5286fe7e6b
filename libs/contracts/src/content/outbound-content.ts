import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { MEDIA_KINDS } from './media-rules.js';
import { MessageBody } from './message-body.js';

/** A place on the map. */
export class LocationContent {
  @ApiProperty({ description: 'Degrees north.', example: 52.5251, minimum: -90, maximum: 90 })
  @IsNumber()
  @Min(-90)
  @Max(90)
  latitude: number;

  @ApiProperty({ description: 'Degrees east.', example: 13.3694, minimum: -180, maximum: 180 })
  @IsNumber()
  @Min(-180)
  @Max(180)
  longitude: number;

  @ApiPropertyOptional({ description: 'Name of the place.', example: 'Main station', maxLength: 255 })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  name?: string;

  @ApiPropertyOptional({
    description: 'Its street address.',
    example: 'Europaplatz 1, Berlin',
    maxLength: 1000,
  })
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  address?: string;
}

/** A contact card. */
export class ContactContent {
  @ApiProperty({ description: 'Name on the card.', example: 'Ada Lovelace', minLength: 1, maxLength: 255 })
  @IsString()
  @Length(1, 255)
  displayName: string;

  @ApiProperty({
    description: 'Phone number in any usual international notation.',
    example: '+49 151 12345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsString()
  @Length(5, 64)
  phone: string;
}

/** A question with choices. */
export class PollContent {
  @ApiProperty({ description: 'The question.', example: 'Lunch?', minLength: 1, maxLength: 255 })
  @IsString()
  @Length(1, 255)
  name: string;

  @ApiProperty({
    description: 'The choices, 2 to 12, each of 1 to 100 characters.',
    example: ['yes', 'no'],
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 100 },
    minItems: 2,
    maxItems: 12,
    uniqueItems: true,
  })
  @IsArray()
  @ArrayMinSize(2)
  @ArrayMaxSize(12)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 100, { each: true })
  options: string[];

  @ApiPropertyOptional({
    description: 'Whether one may choose several of them.',
    example: false,
    default: false,
  })
  @IsOptional()
  @IsBoolean()
  multiple?: boolean;
}

/** A file: one that was stored under `mediaId`, or one to be fetched from `url`. */
export class MediaContent {
  @ValidateIf(({ url }: MediaContent) => url === undefined) @IsUUID() mediaId?: string;
  @IsOptional() @IsString() url?: string;
  /** Absent: what the answer to the fetch says. */
  @IsOptional() @IsString() mimeType?: string;
  @IsOptional() @IsString() filename?: string;
  @IsOptional() @IsString() caption?: string;
  /** A voice note. */
  @IsOptional() @IsBoolean() voice?: boolean;
}

/** Kinds of content that a session sends. */
export const OUTBOUND_TYPES = [
  ...MEDIA_KINDS,
  'text',
  'location',
  'contact',
  'poll',
  'reaction',
  'edit',
  'delete',
] as const;
/** One of `OUTBOUND_TYPES`. */
export type OutboundType = (typeof OUTBOUND_TYPES)[number];

/** A message in the words of the platform. */
export class MessageTarget {
  @IsString() keyId: string;
  /** Written by the session's own number. */
  @IsBoolean() fromMe: boolean;
  /** Who wrote it, in a group. */
  @IsOptional() @IsString() participant?: string;
}

/** The message that another one answers, as far as it is shown above the answer. */
export class QuotedTarget extends MessageTarget {
  @ValidateNested() @Type(() => MessageBody) body: MessageBody;
}

/** Of content of these types alone, and there needed. */
const Of = (...types: OutboundType[]): PropertyDecorator =>
  ValidateIf(({ type }: OutboundContent) => types.includes(type));

/** Content of an outbound message on its way to the worker: a union discriminated by `type`, in one class as `MessageBody` is. */
export class OutboundContent {
  @IsIn(OUTBOUND_TYPES) type: OutboundType;
  /** The text, or what it says after an edit. */
  @Of('text', 'edit') @IsString() @IsNotEmpty() text?: string;
  @Of('location') @IsDefined() @ValidateNested() @Type(() => LocationContent) location?: LocationContent;
  @Of('contact') @IsDefined() @ValidateNested() @Type(() => ContactContent) contact?: ContactContent;
  @Of('poll') @IsDefined() @ValidateNested() @Type(() => PollContent) poll?: PollContent;
  @Of(...MEDIA_KINDS) @IsDefined() @ValidateNested() @Type(() => MediaContent) media?: MediaContent;
  /** Empty: taken back. */
  @Of('reaction') @IsString() emoji?: string;
  /** What a reaction, an edit or a deletion is about. */
  @Of('reaction', 'edit', 'delete')
  @IsDefined()
  @ValidateNested()
  @Type(() => MessageTarget)
  target?: MessageTarget;
  /** What this one answers. */
  @IsOptional() @ValidateNested() @Type(() => QuotedTarget) quoted?: QuotedTarget;
  /** Addresses of the people named in it. */
  @IsOptional() @IsString({ each: true }) mentions?: string[];
}
