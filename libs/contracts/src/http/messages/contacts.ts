import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsISO8601, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { BoundedCount } from '../page.js';
import { LoggedEvent } from '../webhooks/event-log.js';
import { MessageView } from './messages.js';

/** The profile of a contact, over all sessions of the tenant. */
export class ContactProfile {
  @ApiProperty({ description: 'Address.', example: '4915112345678@s.whatsapp.net' })
  contact: string;

  @ApiProperty({
    description: 'Phone number in E.164 form; null where the platform hides it.',
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  phone: string | null;

  @ApiProperty({
    description: 'The display name of the newest message that has one.',
    type: String,
    nullable: true,
    example: 'Ada',
  })
  name: string | null;

  @ApiProperty({
    description:
      'Time of the oldest message (ISO 8601, UTC). Where an export has none: of something else that is kept.',
    example: '2026-01-31T12:00:00.000Z',
  })
  firstSeenAt: string;

  @ApiProperty({
    description:
      'Time of the newest message (ISO 8601, UTC). Where an export has none: of something else that is kept.',
    example: '2026-01-31T12:00:00.000Z',
  })
  lastSeenAt: string;

  @ApiProperty({ description: 'Messages that the contact has written, also in groups.', type: BoundedCount })
  received: BoundedCount;

  @ApiProperty({ description: 'Messages to the contact, in every state.', type: BoundedCount })
  sent: BoundedCount;

  @ApiProperty({
    description: 'Conversations with the contact, at most 200: one for each session; none with groups.',
    type: [String],
    format: 'uuid',
    example: ['0198c0de-0000-5000-8000-000000000001'],
  })
  conversationIds: string[];
}

/** A dead letter of an event that names a contact. */
export class ContactDeadLetter {
  @ApiProperty({ description: 'Delivery id.', format: 'uuid' })
  @IsUUID()
  deliveryId: string;

  @ApiProperty({ description: 'Webhook endpoint it was for.', format: 'uuid' })
  @IsUUID()
  endpointId: string;

  @ApiProperty({ description: 'Attempts made.', type: 'integer', example: 5 })
  @IsInt()
  attempts: number;

  @ApiProperty({ description: 'Error code of the last attempt.', example: 'HTTP_500' })
  @IsString()
  reason: string;

  @ApiProperty({ description: 'When it was given up (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  deadAt: string;
}

/** An event that names a contact, with its dead letters. */
export class ContactEvent extends LoggedEvent {
  @ApiProperty({
    description: 'Deliveries of it that were given up.',
    type: ContactDeadLetter,
    isArray: true,
  })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ContactDeadLetter)
  deadLetters: ContactDeadLetter[];
}

/** A turn of the assistant with a contact: messages that were answered together, or were not. */
export class ContactTurn {
  @ApiProperty({ description: 'Id of the turn.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: 'When it began (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  startedAt: string;

  @ApiProperty({
    description: 'Why it was answered, or not; null: it has not ended.',
    type: String,
    nullable: true,
    example: 'ANSWERED',
  })
  @IsOptional()
  @IsString()
  outcome: string | null;

  @ApiProperty({
    description:
      'Texts that are kept of the answer: one that was made and not sent, or waits to be approved. Of calls of tools that a person decides on: the arguments, and what the tool has answered.',
    type: [String],
    example: ['We open at nine.'],
  })
  @IsArray()
  @IsString({ each: true })
  texts: string[];
}

/** Answer of `GET /v1/contacts/:id/export`: all data of a contact. */
export class ContactExport {
  @ApiProperty({
    description: 'When this was asked for (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  exportedAt: string;

  @ApiProperty({ description: 'The contact.', type: ContactProfile })
  contact: ContactProfile;

  @ApiProperty({
    description:
      'Every message with the contact, newest first, and behind them those that the contact has written in groups. The file of one: `GET /v1/messages/{id}/media`.',
    type: MessageView,
    isArray: true,
  })
  messages: MessageView[];

  @ApiProperty({
    description:
      'Every event that names the contact, in order of arrival, with its dead letters. Messages of others in groups that quote or mention the contact are somebody else’s and not in here, but for the events that tell of them.',
    type: ContactEvent,
    isArray: true,
  })
  events: ContactEvent[];

  @ApiProperty({
    description: 'What the assistant did with messages of the contact in the last thirty days, newest first.',
    type: ContactTurn,
    isArray: true,
  })
  turns: ContactTurn[];
}
