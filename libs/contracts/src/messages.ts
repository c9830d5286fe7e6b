import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsIn,
  IsISO8601,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { defineCommand } from './contract.js';
import { MESSAGE_STATUSES, type MessageStatus } from './enums.js';
import { MessageBody } from './message-body.js';
import { MessageFailure } from './message-events.js';

/** In the spelling that JSON Schema and JavaScript share. */
const NO_CONTROL_CHARACTERS = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Body of `POST /v1/messages` (specification, "Outbound message request"). */
export class SendMessageRequest {
  @ApiProperty({
    description: 'Session to send from.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description: 'Recipient: a phone number in any usual international notation, or a full platform address.',
    example: '+49 151 12345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsString()
  @Length(5, 64)
  to: string;

  @ApiProperty({
    description: 'Text to send, up to 65,536 characters.',
    example: 'Your order is ready.',
    minLength: 1,
    maxLength: 65_536,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(65_536)
  text: string;

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
}

/** Answer of `POST /v1/messages`. */
export class QueuedMessage {
  @ApiProperty({
    description: 'Always QUEUED: what becomes of it is told by events.',
    enum: ['QUEUED'],
    example: 'QUEUED',
  })
  status: 'QUEUED';

  @ApiProperty({
    description: 'Job id; the id of the message in every later answer and event.',
    format: 'uuid',
  })
  jobId: string;

  @ApiProperty({ description: 'Session it goes out from.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description: 'Normalized address of the recipient.',
    example: '4915112345678@s.whatsapp.net',
  })
  to: string;

  @ApiProperty({
    description: 'The idempotency key, if one was given.',
    type: String,
    nullable: true,
    example: 'order-4711-ready',
  })
  clientMessageId: string | null;

  @ApiProperty({ description: 'When it was accepted (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  createdAt: string;
}

/** One message as `GET /v1/messages` shows it. */
export class MessageView {
  @ApiProperty({ description: 'Message id; the job id of an outbound message.', format: 'uuid' })
  id: string;

  @ApiProperty({
    description: 'Job id of an outbound message.',
    type: String,
    nullable: true,
    format: 'uuid',
  })
  jobId: string | null;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'Direction.', enum: ['OUTBOUND', 'INBOUND'], example: 'OUTBOUND' })
  direction: 'OUTBOUND' | 'INBOUND';

  @ApiProperty({ description: 'Where it stands.', enum: MESSAGE_STATUSES, example: 'DELIVERED' })
  status: MessageStatus;

  @ApiProperty({ description: "The other side's address.", example: '4915112345678@s.whatsapp.net' })
  contact: string;

  @ApiProperty({ description: 'Content.', type: MessageBody })
  body: MessageBody;

  @ApiProperty({
    description: 'Platform message key, once known.',
    type: String,
    nullable: true,
    example: '3EB0C0FFEE',
  })
  keyId: string | null;

  @ApiProperty({
    description: 'The idempotency key of the send, if any.',
    type: String,
    nullable: true,
    example: 'order-4711',
  })
  clientMessageId: string | null;

  @ApiProperty({
    description: 'Why it failed; null unless status is FAILED.',
    type: MessageFailure,
    nullable: true,
  })
  failure: MessageFailure | null;

  @ApiProperty({
    description: 'When it was accepted or received (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  createdAt: string;

  @ApiProperty({
    description: 'When its status last changed (ISO 8601, UTC).',
    example: '2026-01-31T12:00:01.000Z',
  })
  updatedAt: string;
}

/** Content of an outbound message on its way to the worker. */
export class OutboundContent {
  @IsIn(['text']) type: 'text';
  @IsString() @IsNotEmpty() text: string;
}

/** Data of the `send-message` command. */
export class SendMessageV1 {
  @IsUUID() jobId: string;
  @IsUUID() sessionId: string;
  /** Normalized platform address. */
  @IsString() to: string;
  @ValidateNested() @Type(() => OutboundContent) content: OutboundContent;
  @IsOptional() @IsString() clientMessageId: string | null;
  @IsISO8601() acceptedAt: string;
}

/** Data of the `reconcile-session` command: "look at the row of this session and act on it". */
export class ReconcileSessionV1 {
  @IsUUID() sessionId: string;
}

/** Send one message; consumed by the owner of the session's partition. */
export const SendMessage = defineCommand('send-message', 1, SendMessageV1);
/** The wanted state of a session changed. */
export const ReconcileSession = defineCommand('reconcile-session', 1, ReconcileSessionV1);
