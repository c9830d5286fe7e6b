import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import type { Metadata } from '../content/message-details.js';
import {
  ApiIdField,
  ContactField,
  ConversationIdField,
  DirectionField,
  type MessageDirection,
} from '../content/message-names.js';
import {
  FAILURE_CODES,
  type FailureCode,
  LIMIT_LAYERS,
  type LimitLayer,
  type Sender,
  SENDERS,
} from '../enums.js';

/** Reason for which a message failed for good. */
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

  @ApiPropertyOptional({
    description: 'Daily limits of which its unit was given back, because the platform never saw the message.',
    enum: LIMIT_LAYERS,
    isArray: true,
    example: ['plan'],
  })
  @IsOptional()
  @IsIn(LIMIT_LAYERS, { each: true })
  givenBack?: LimitLayer[];
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

  @ApiProperty({
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

  @ApiPropertyOptional({
    description:
      'What the send named, where the account of that number has another address: `to` is that of the account.',
    example: '5531987654321@s.whatsapp.net',
  })
  @IsOptional()
  @IsString()
  requestedTo?: string;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;

  @ApiPropertyOptional({
    description: 'The metadata that the send carried, if any.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { orderId: '4711' },
  })
  @IsOptional()
  @IsObject()
  metadata?: Metadata;

  @ApiPropertyOptional({
    description:
      'Who sent it. API: your software, with a key. ASSISTANT: the built-in AI. MEMBER: a member of your team, by hand. Absent where it was sent before this was kept.',
    enum: SENDERS,
    example: 'API',
  })
  @IsOptional()
  @IsIn(SENDERS)
  sentBy?: Sender;

  @ConversationIdField() conversationId?: string;
  @ApiIdField() id?: string;
  @ContactField() contact?: string;

  @ApiProperty({
    description: 'As `to`: the name that `message.received` has for the address of the chat.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsOptional()
  @IsString()
  chatId?: string;

  @ApiProperty({ description: 'Whether the chat is a group.', example: false })
  @IsOptional()
  @IsBoolean()
  isGroup?: boolean;

  @ApiProperty({ description: 'Always true: the number itself wrote it.', example: true })
  @IsOptional()
  @IsBoolean()
  fromMe?: boolean;

  @DirectionField() direction?: MessageDirection;
}

/** Payload of `message.failed`. */
export class MessageFailedV1 extends OutboundMessageV1 {
  @ApiProperty({ description: 'Why.', type: MessageFailure })
  @ValidateNested()
  @Type(() => MessageFailure)
  failure: MessageFailure;
}
