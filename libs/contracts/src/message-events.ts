import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsISO8601, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineEvent } from './contract.js';
import { FAILURE_CODES, type FailureCode } from './enums.js';
import { MessageBody } from './message-body.js';

/** Payload of `message.received` (specification, "Message payload"); `phone`, `timestamp` and `fromMe` are ours. */
export class MessageReceivedV1 {
  @ApiProperty({ description: 'Session that received the message.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Service message id.', format: 'uuid' })
  @IsUUID()
  messageId: string;

  @ApiProperty({ description: "The sender's address.", example: '4915112345678@s.whatsapp.net' })
  @IsString()
  remoteJid: string;

  @ApiProperty({ description: 'Platform message key.', example: '3EB0C0FFEE' })
  @IsString()
  keyId: string;

  @ApiProperty({ description: 'Content; check `type` first.', type: MessageBody })
  @ValidateNested()
  @Type(() => MessageBody)
  body: MessageBody;

  @ApiPropertyOptional({
    description: "The sender's display name.",
    type: String,
    nullable: true,
    example: 'Ada',
  })
  @IsOptional()
  @IsString()
  pushName: string | null;

  @ApiPropertyOptional({
    description: "The sender's phone number in E.164 form; null where the platform hides it.",
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiProperty({
    description: 'When the platform took the message (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  @IsISO8601()
  timestamp: string;

  @ApiProperty({ description: 'True for a message that the own phone sent.', example: false })
  @IsBoolean()
  fromMe: boolean;
}

/** Why a message failed for good. */
export class MessageFailure {
  @ApiProperty({ description: 'Reason.', enum: FAILURE_CODES, example: 'NOT_ON_PLATFORM' })
  @IsIn(FAILURE_CODES)
  code: FailureCode;

  @ApiProperty({
    description: 'The reason in words.',
    example: 'The number is not registered on the platform.',
  })
  @IsString()
  message: string;
}

/** Payload of `message.sent`, `message.delivered` and `message.read`. */
export class OutboundMessageV1 {
  @ApiProperty({ description: 'Session that sends.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'Job id that the send returned.', format: 'uuid' })
  @IsUUID()
  jobId: string;

  @ApiProperty({ description: 'Service message id: the same value as jobId.', format: 'uuid' })
  @IsUUID()
  messageId: string;

  @ApiProperty({ description: 'Platform message key.', example: '3EB0C0FFEE' })
  @IsString()
  keyId: string;

  @ApiPropertyOptional({
    description: 'The idempotency key that the send carried, if any.',
    type: String,
    nullable: true,
    example: 'order-4711',
  })
  @IsOptional()
  @IsString()
  clientMessageId: string | null;

  @ApiProperty({ description: "The recipient's address.", example: '4915112345678@s.whatsapp.net' })
  @IsString()
  to: string;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** Payload of `message.failed`. */
export class MessageFailedV1 extends OutboundMessageV1 {
  @ApiProperty({ description: 'Why.', type: MessageFailure })
  @ValidateNested()
  @Type(() => MessageFailure)
  failure: MessageFailure;
}

/** A message arrived from a contact. */
export const MessageReceived = defineEvent('message.received', 1, MessageReceivedV1);
/** The platform's server took an outbound message. */
export const MessageSent = defineEvent('message.sent', 1, OutboundMessageV1);
/** The recipient's device has it (two checks). */
export const MessageDelivered = defineEvent('message.delivered', 1, OutboundMessageV1);
/** The recipient opened the chat (two blue checks). */
export const MessageRead = defineEvent('message.read', 1, OutboundMessageV1);
/** Sending failed after all retries. */
export const MessageFailed = defineEvent('message.failed', 1, MessageFailedV1);
