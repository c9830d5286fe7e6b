import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { KINDS, type Kind } from '../../content/kinds.js';
import { MayBeAbsent } from '../../http/may-be-absent.js';
import { FileBody, FileView } from './file-bodies.js';
import { IsPhone } from '../../http/phone.js';

const LONGEST_TEXT = 65_536;
const PHONE = /^[1-9]\d{6,14}$/;

export class CardBody {
  @ApiProperty({ description: 'Name on the card.', example: 'Ada' })
  @IsString()
  @Length(1, 200)
  displayName: string;

  @ApiPropertyOptional({ description: 'Its number.', example: '4915550003000' })
  @MayBeAbsent()
  @IsPhone()
  phone?: string;
}

/** What a message says, in the words of the gateway's `MessageBody`. */
export class ContentBody {
  @ApiPropertyOptional({ description: 'The words of a text or an edit.', example: 'Are you open?' })
  @MayBeAbsent()
  @IsString()
  @Length(1, LONGEST_TEXT)
  text?: string;

  @ApiPropertyOptional({
    description: 'Words below an image, a video or a document.',
    example: 'The receipt',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, LONGEST_TEXT)
  caption?: string;

  @ApiPropertyOptional({ description: 'Media type of the file; usual for its kind.', example: 'image/jpeg' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 200)
  mimeType?: string;

  @ApiPropertyOptional({ description: 'Length of an audio or a video.', example: 12 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  seconds?: number;

  @ApiPropertyOptional({ description: 'A video that is a round video note.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  isPtv?: boolean;

  @ApiPropertyOptional({ description: 'An audio that is a voice note.', example: true })
  @MayBeAbsent()
  @IsBoolean()
  isPtt?: boolean;

  @ApiPropertyOptional({ description: 'File name of a document.', example: 'offer.pdf' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 300)
  filename?: string;

  @ApiPropertyOptional({ description: 'Number of pages of a document.', example: 3 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  pageCount?: number;

  @ApiPropertyOptional({ description: 'A sticker that moves.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  isAnimated?: boolean;

  @ApiPropertyOptional({ description: 'Degrees north of a location.', example: 52.52 })
  @MayBeAbsent()
  @IsNumber()
  @Min(-90)
  @Max(90)
  latitude?: number;

  @ApiPropertyOptional({ description: 'Degrees east of a location.', example: 13.4 })
  @MayBeAbsent()
  @IsNumber()
  @Min(-180)
  @Max(180)
  longitude?: number;

  @ApiPropertyOptional({ description: 'Name of a place, or question of a poll.', example: 'Main station' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 300)
  name?: string;

  @ApiPropertyOptional({ description: 'Street address of a location.', example: 'Europaplatz 1' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 300)
  address?: string;

  @ApiPropertyOptional({ description: 'Cards of a contact message.', type: [CardBody] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ValidateNested({ each: true })
  @Type(() => CardBody)
  contacts?: CardBody[];

  @ApiPropertyOptional({ description: 'Choices of a poll.', example: ['yes', 'no'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(12)
  @IsString({ each: true })
  options?: string[];

  @ApiPropertyOptional({ description: 'Emoji of a reaction; empty: it is taken back.', example: '👍' })
  @MayBeAbsent()
  @IsString()
  @Length(0, 50)
  emoji?: string;

  @ApiPropertyOptional({
    description: 'Id on the wire of the message that a reaction, an edit or a revocation is about.',
    example: '3EB0C431C26A1916E07A',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  targetKeyId?: string;

  @ApiPropertyOptional({ description: 'It may be looked at only once.', example: false })
  @MayBeAbsent()
  @IsBoolean()
  viewOnce?: boolean;

  @ApiPropertyOptional({
    description: 'Id on the wire of the message that this one answers.',
    example: '3EB0C431C26A1916E07A',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  quotedKeyId?: string;

  @ApiPropertyOptional({ description: 'Phones named in it.', example: ['4915550001000'], type: [String] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(100)
  @Matches(PHONE, { each: true, message: 'each of $property must be 7 to 15 digits, country code first' })
  mentions?: string[];
}

/** What a contact writes. */
export class WrittenContentBody extends ContentBody {
  @ApiProperty({ description: 'Kind of content.', enum: KINDS, example: 'image' })
  @IsIn(KINDS)
  type: Kind;

  @ApiPropertyOptional({
    description: 'The file of an image, video, audio, document or sticker.',
    type: FileBody,
  })
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => FileBody)
  media?: FileBody;
}

/** What a contact received. */
export class ReceivedContentView extends ContentBody {
  @ApiProperty({
    description: 'Kind of content.',
    enum: [...KINDS, 'unsupported'],
    example: 'image',
  })
  type: Kind | 'unsupported';

  @ApiPropertyOptional({
    description: "The platform's name of unsupported content.",
    example: 'groupInviteMessage',
  })
  original?: string;

  @ApiPropertyOptional({
    description: 'The file, decrypted and checked; its bytes at /contacts/{phone}/messages/{id}/media.',
    type: FileView,
  })
  media?: FileView;
}
