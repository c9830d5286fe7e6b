import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsArray, IsBoolean, IsIn, IsNumber, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';

/** Kinds of `MessageBody` (specification, "MessageBody"). */
export const MESSAGE_BODY_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
  'reaction',
  'view_once',
  'unsupported',
] as const;

/**
 * Content of an inbound message: a union discriminated by `type`, flattened into one class so that one validator and
 * one schema serve it. Which fields belong to which type is the specification's table.
 */
export class MessageBody {
  @ApiProperty({
    description: 'Kind of content; check it before any other field.',
    enum: MESSAGE_BODY_TYPES,
    example: 'text',
  })
  @IsIn(MESSAGE_BODY_TYPES)
  type: (typeof MESSAGE_BODY_TYPES)[number];

  @ApiPropertyOptional({ description: 'text: the text.', example: 'Is my order ready?' })
  @IsOptional()
  @IsString()
  text?: string;

  @ApiPropertyOptional({ description: 'image, video, document: the caption.', example: 'The receipt' })
  @IsOptional()
  @IsString()
  caption?: string;

  @ApiPropertyOptional({
    description: 'image, video, audio, document, sticker: media type.',
    example: 'image/jpeg',
  })
  @IsOptional()
  @IsString()
  mimeType?: string;

  @ApiPropertyOptional({ description: 'video, audio: length in seconds.', example: 12 })
  @IsOptional()
  @IsNumber()
  seconds?: number;

  @ApiPropertyOptional({ description: 'video: a round video note.', example: false })
  @IsOptional()
  @IsBoolean()
  isPtv?: boolean;

  @ApiPropertyOptional({ description: 'audio: a voice note.', example: true })
  @IsOptional()
  @IsBoolean()
  isPtt?: boolean;

  @ApiPropertyOptional({
    description: 'audio: the spoken text, where speech to text is configured.',
    example: 'Call me back',
  })
  @IsOptional()
  @IsString()
  transcript?: string;

  @ApiPropertyOptional({ description: 'document: file name.', example: 'offer.pdf' })
  @IsOptional()
  @IsString()
  filename?: string;

  @ApiPropertyOptional({ description: 'document: number of pages.', example: 3 })
  @IsOptional()
  @IsNumber()
  pageCount?: number;

  @ApiPropertyOptional({ description: 'sticker: whether it moves.', example: false })
  @IsOptional()
  @IsBoolean()
  isAnimated?: boolean;

  @ApiPropertyOptional({ description: 'location: degrees north.', example: 52.52 })
  @IsOptional()
  @IsNumber()
  latitude?: number;

  @ApiPropertyOptional({ description: 'location: degrees east.', example: 13.4 })
  @IsOptional()
  @IsNumber()
  longitude?: number;

  @ApiPropertyOptional({ description: 'location, poll: its name.', example: 'Main station' })
  @IsOptional()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ description: 'location: street address.', example: 'Europaplatz 1' })
  @IsOptional()
  @IsString()
  address?: string;

  @ApiPropertyOptional({ description: 'contact: display name of the first card.', example: 'Ada' })
  @IsOptional()
  @IsString()
  displayName?: string;

  @ApiPropertyOptional({ description: 'contact: number of cards.', example: 1 })
  @IsOptional()
  @IsNumber()
  count?: number;

  @ApiPropertyOptional({ description: 'poll: the choices.', example: ['yes', 'no'], type: [String] })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  options?: string[];

  @ApiPropertyOptional({ description: 'reaction: the emoji; empty when it was taken back.', example: '👍' })
  @IsOptional()
  @IsString()
  emoji?: string;

  @ApiPropertyOptional({
    description: 'reaction: keyId of the message it belongs to.',
    example: '3EB0C0FFEE',
  })
  @IsOptional()
  @IsString()
  targetKeyId?: string;

  @ApiPropertyOptional({
    description: 'view_once: what is inside.',
    allOf: [{ $ref: getSchemaPath('MessageBody') }],
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageBody)
  inner?: MessageBody;

  @ApiPropertyOptional({
    description: "unsupported: the platform's name of the content.",
    example: 'groupInviteMessage',
  })
  @IsOptional()
  @IsString()
  original?: string;
}
