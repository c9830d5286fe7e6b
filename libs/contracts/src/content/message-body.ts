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

type FieldOfBody = Exclude<keyof MessageBody, 'type'>;

/** Which fields a kind has besides `type`: the table of the specification. */
export const MESSAGE_BODY_FIELDS: Record<
  (typeof MESSAGE_BODY_TYPES)[number],
  { required?: FieldOfBody[]; optional?: FieldOfBody[] }
> = {
  text: { required: ['text'] },
  image: { optional: ['caption', 'mimeType'] },
  video: { optional: ['caption', 'mimeType', 'seconds', 'isPtv'] },
  audio: { optional: ['mimeType', 'seconds', 'isPtt', 'transcript'] },
  document: { optional: ['filename', 'mimeType', 'pageCount', 'caption'] },
  sticker: { optional: ['mimeType', 'isAnimated'] },
  location: { optional: ['latitude', 'longitude', 'name', 'address'] },
  contact: { optional: ['displayName', 'count'] },
  poll: { optional: ['name', 'options'] },
  reaction: { optional: ['emoji', 'targetKeyId'] },
  view_once: { required: ['inner'] },
  unsupported: { required: ['original'] },
};

/**
 * Content of an inbound message: a union discriminated by `type`, flattened into one class so that one validator and one
 * type of TypeScript serve it. `MESSAGE_BODY_FIELDS` says which fields belong to which kind; the OpenAPI description
 * has a schema for each.
 */
export class MessageBody {
  @ApiProperty({
    description: 'Kind of content; check it before any other field.',
    enum: MESSAGE_BODY_TYPES,
    example: 'text',
  })
  @IsIn(MESSAGE_BODY_TYPES)
  type: (typeof MESSAGE_BODY_TYPES)[number];

  @ApiPropertyOptional({ description: 'The text.', example: 'Is my order ready?' })
  @IsOptional()
  @IsString()
  text?: string;

  @ApiPropertyOptional({ description: 'The caption.', example: 'The receipt' })
  @IsOptional()
  @IsString()
  caption?: string;

  @ApiPropertyOptional({
    description: 'Media type.',
    example: 'image/jpeg',
  })
  @IsOptional()
  @IsString()
  mimeType?: string;

  @ApiPropertyOptional({ description: 'Length in seconds.', example: 12 })
  @IsOptional()
  @IsNumber()
  seconds?: number;

  @ApiPropertyOptional({ description: 'Whether it is a round video note.', example: false })
  @IsOptional()
  @IsBoolean()
  isPtv?: boolean;

  @ApiPropertyOptional({ description: 'Whether it is a voice note.', example: true })
  @IsOptional()
  @IsBoolean()
  isPtt?: boolean;

  @ApiPropertyOptional({
    description: 'The spoken text, where speech to text is configured.',
    example: 'Call me back',
  })
  @IsOptional()
  @IsString()
  transcript?: string;

  @ApiPropertyOptional({ description: 'File name.', example: 'offer.pdf' })
  @IsOptional()
  @IsString()
  filename?: string;

  @ApiPropertyOptional({ description: 'Number of pages.', example: 3 })
  @IsOptional()
  @IsNumber()
  pageCount?: number;

  @ApiPropertyOptional({ description: 'Whether it moves.', example: false })
  @IsOptional()
  @IsBoolean()
  isAnimated?: boolean;

  @ApiPropertyOptional({ description: 'Degrees north.', example: 52.52 })
  @IsOptional()
  @IsNumber()
  latitude?: number;

  @ApiPropertyOptional({ description: 'Degrees east.', example: 13.4 })
  @IsOptional()
  @IsNumber()
  longitude?: number;

  @ApiPropertyOptional({
    description: 'Name of the place, or question of the poll.',
    example: 'Main station',
  })
  @IsOptional()
  @IsString()
  name?: string;

  @ApiPropertyOptional({ description: 'Street address.', example: 'Europaplatz 1' })
  @IsOptional()
  @IsString()
  address?: string;

  @ApiPropertyOptional({ description: 'Display name of the first card.', example: 'Ada' })
  @IsOptional()
  @IsString()
  displayName?: string;

  @ApiPropertyOptional({ description: 'Number of cards.', example: 1 })
  @IsOptional()
  @IsNumber()
  count?: number;

  @ApiPropertyOptional({ description: 'The choices.', example: ['yes', 'no'], type: [String] })
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  options?: string[];

  @ApiPropertyOptional({ description: 'The emoji; empty when it was taken back.', example: '👍' })
  @IsOptional()
  @IsString()
  emoji?: string;

  @ApiPropertyOptional({
    description: 'keyId of the message it belongs to.',
    example: '3EB0C0FFEE',
  })
  @IsOptional()
  @IsString()
  targetKeyId?: string;

  @ApiPropertyOptional({
    description: 'What is inside.',
    allOf: [{ $ref: getSchemaPath('MessageBody') }],
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => MessageBody)
  inner?: MessageBody;

  @ApiPropertyOptional({
    description: "The platform's name of the content.",
    example: 'groupInviteMessage',
  })
  @IsOptional()
  @IsString()
  original?: string;
}
