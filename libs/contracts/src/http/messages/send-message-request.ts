import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { MEDIA_KINDS, type MediaKind, MIME_TYPE } from '../../content/media-rules.js';
import { ContactContent, LocationContent, PollContent } from '../../content/outbound-content.js';
import { SendOptions } from './send-options.js';

/** In the spelling that JSON Schema and JavaScript share. */
const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

const MESSAGE_ID = '0198c0de-0000-7000-8000-0000000000c1';

/** A message that is meant. */
class MessageRef {
  @ApiProperty({
    description: 'Id of a message in the same chat: a job id, or the messageId of an event.',
    format: 'uuid',
    example: MESSAGE_ID,
  })
  @IsUUID()
  messageId: string;
}

/** Reacts to a message. */
export class ReactionRequest extends MessageRef {
  @ApiProperty({
    description: 'One emoji; an empty string takes the reaction back.',
    example: '👍',
    maxLength: 64,
  })
  @IsString()
  @MaxLength(64)
  emoji: string;
}

/** Changes the words of an own text. */
export class EditRequest extends MessageRef {
  @ApiProperty({
    description: 'What it says from now on, up to 65,536 characters.',
    example: 'Your order is ready, and gift-wrapped.',
    minLength: 1,
    maxLength: 65_536,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(65_536)
  text: string;
}

/** Deletes an own message for everybody. */
export class DeleteRequest extends MessageRef {}

/** A file to send, with exactly one of `url`, `base64` and `mediaId`. */
export class MediaRequest {
  @ApiProperty({
    description:
      'What phones show it as. Up to 16 MiB as image or audio, 64 MiB as video, 100 MiB as document, 1 MiB as sticker.',
    enum: MEDIA_KINDS,
    example: 'image',
  })
  @IsIn(MEDIA_KINDS)
  kind: MediaKind;

  @ApiPropertyOptional({
    description:
      'https address that the file is fetched from when the message goes out; redirects are followed.',
    example: 'https://example.com/receipt.png',
    maxLength: 2048,
  })
  @IsOptional()
  @IsString()
  @MaxLength(2048)
  url?: string;

  @ApiPropertyOptional({
    description: 'The file itself, in base64 with padding; what does not fit into a body is uploaded first.',
    example: 'iVBORw0KGgo=',
    minLength: 1,
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  base64?: string;

  @ApiPropertyOptional({
    description: 'A file uploaded before with POST /v1/media; it may be sent as often as wanted for 30 days.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-0000000000d1',
  })
  @IsOptional()
  @IsUUID()
  mediaId?: string;

  @ApiPropertyOptional({
    description:
      'Media type. Needed with base64; else what the upload or the answer of the address says. A sticker is image/webp.',
    example: 'image/png',
    pattern: MIME_TYPE,
  })
  @IsOptional()
  @IsString()
  @Matches(new RegExp(MIME_TYPE, 'u'), { message: 'mimeType must be a media type such as image/png' })
  mimeType?: string;

  @ApiPropertyOptional({
    description: 'Name of a document.',
    example: 'offer.pdf',
    minLength: 1,
    maxLength: 255,
    pattern: NO_CONTROL_CHARACTERS,
  })
  @IsOptional()
  @IsString()
  @Length(1, 255)
  @Matches(new RegExp(NO_CONTROL_CHARACTERS, 'u'), {
    message: 'filename must not contain control characters',
  })
  filename?: string;

  @ApiPropertyOptional({
    description: 'Text below an image, a video or a document.',
    example: 'The receipt',
    minLength: 1,
    maxLength: 4096,
  })
  @IsOptional()
  @IsString()
  @Length(1, 4096)
  caption?: string;

  @ApiPropertyOptional({
    description: 'Whether an audio is a voice note; phones play ogg with the opus codec as such.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  voice?: boolean;
}

/** Fields of `SendMessageRequest` that say what is sent: each request has exactly one. */
export const CONTENT_FIELDS = [
  'text',
  'media',
  'location',
  'contact',
  'poll',
  'reaction',
  'edit',
  'delete',
] as const;
/** One of `CONTENT_FIELDS`. */
export type ContentField = (typeof CONTENT_FIELDS)[number];

/** Body of `POST /v1/messages` (specification, "Outbound message request"). */
export class SendMessageRequest extends SendOptions {
  @ApiProperty({
    description: 'Session to send from.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description:
      'Recipient: a phone number in any usual international notation, or a full platform address, also of a group.',
    example: '+49 151 12345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsString()
  @Length(5, 64)
  to: string;

  @ApiPropertyOptional({
    description: 'Text to send, up to 65,536 characters.',
    example: 'Your order is ready.',
    minLength: 1,
    maxLength: 65_536,
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(65_536)
  text?: string;

  @ApiPropertyOptional({ description: 'A file.', type: MediaRequest })
  @IsOptional()
  @ValidateNested()
  @Type(() => MediaRequest)
  media?: MediaRequest;

  @ApiPropertyOptional({ description: 'A place on the map.', type: LocationContent })
  @IsOptional()
  @ValidateNested()
  @Type(() => LocationContent)
  location?: LocationContent;

  @ApiPropertyOptional({ description: 'A contact card.', type: ContactContent })
  @IsOptional()
  @ValidateNested()
  @Type(() => ContactContent)
  contact?: ContactContent;

  @ApiPropertyOptional({ description: 'A question with choices.', type: PollContent })
  @IsOptional()
  @ValidateNested()
  @Type(() => PollContent)
  poll?: PollContent;

  @ApiPropertyOptional({ description: 'A reaction to a message.', type: ReactionRequest })
  @IsOptional()
  @ValidateNested()
  @Type(() => ReactionRequest)
  reaction?: ReactionRequest;

  @ApiPropertyOptional({
    description: 'New words for an own text; phones take them for some fifteen minutes after it was sent.',
    type: EditRequest,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => EditRequest)
  edit?: EditRequest;

  @ApiPropertyOptional({
    description: 'Deletes an own message for everybody; phones do so for some two days after it was sent.',
    type: DeleteRequest,
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => DeleteRequest)
  delete?: DeleteRequest;

  @ApiPropertyOptional({
    description:
      'Message of the same chat that this one answers: a job id, or the messageId of an event. Not with reaction, edit or delete.',
    format: 'uuid',
    example: MESSAGE_ID,
  })
  @IsOptional()
  @IsUUID()
  replyTo?: string;

  @ApiPropertyOptional({
    description:
      'People named in the text, by phone number or address; the text says @ and their digits where they are named. With text or edit only.',
    type: [String],
    maxItems: 100,
    example: ['+49 151 12345678'],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  mentions?: string[];

  @ApiPropertyOptional({
    description:
      'Idempotency key: repeating it returns the first job and sends nothing again. Any string of 1 to 128 characters without control characters.',
    example: 'order-4711-ready',
    minLength: 1,
    maxLength: 128,
    pattern: NO_CONTROL_CHARACTERS,
  })
  @IsOptional()
  @IsString()
  @Length(1, 128)
  @Matches(new RegExp(NO_CONTROL_CHARACTERS, 'u'), {
    message: 'clientMessageId must not contain control characters',
  })
  clientMessageId?: string;

  @ApiPropertyOptional({
    description:
      'true: says whether this would be sent, and if not, why and until when; nothing is sent or counted.',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  dryRun?: boolean;
}
