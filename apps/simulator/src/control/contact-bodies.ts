import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsObject, IsString, Length, Max, Min } from 'class-validator';
import { SENT_STATUSES, type SentStatus } from '../people/messages.js';
import { MayBeAbsent } from './absent.js';
import { IsPhone } from './phone.js';

const HABITS = ['auto', 'never'] as const;
const LONGEST_DELAY_MS = 24 * 3_600_000;

export class CreateContact {
  @ApiProperty({ description: 'Digits with country code.', example: '4915550002000' })
  @IsPhone()
  phone: string;

  @ApiPropertyOptional({ description: 'Name that travels with messages.', example: 'Ann' })
  @MayBeAbsent()
  @IsString()
  @Length(1, 100)
  name?: string;

  @ApiPropertyOptional({ description: 'false: the number is not on the platform.', example: true })
  @MayBeAbsent()
  @IsBoolean()
  registered?: boolean;
}

/** What a contact does on its own. */
export class BehaviourChange {
  @ApiPropertyOptional({ description: 'Whether delivery receipts are given.', enum: HABITS, example: 'auto' })
  @MayBeAbsent()
  @IsIn(HABITS)
  delivered?: 'auto' | 'never';

  @ApiPropertyOptional({ description: 'Time from arrival to the delivery receipt.', example: 0 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_DELAY_MS)
  deliveredDelayMs?: number;

  @ApiPropertyOptional({ description: 'Whether messages are read unasked.', enum: HABITS, example: 'never' })
  @MayBeAbsent()
  @IsIn(HABITS)
  read?: 'auto' | 'never';

  @ApiPropertyOptional({ description: 'Time from the delivery receipt to the read receipt.', example: 500 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(LONGEST_DELAY_MS)
  readDelayMs?: number;

  @ApiPropertyOptional({
    description: 'false: no receipts at all until it is true again; then those that are due.',
    example: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  online?: boolean;
}

export class BehaviourView {
  @ApiProperty({ description: 'Whether delivery receipts are given.', enum: HABITS, example: 'auto' })
  delivered: 'auto' | 'never';

  @ApiProperty({ description: 'Time from arrival to the delivery receipt.', example: 0 })
  deliveredDelayMs: number;

  @ApiProperty({ description: 'Whether messages are read unasked.', enum: HABITS, example: 'never' })
  read: 'auto' | 'never';

  @ApiProperty({ description: 'Time from the delivery receipt to the read receipt.', example: 0 })
  readDelayMs: number;

  @ApiProperty({ description: 'Whether the contact gives receipts now.', example: true })
  online: boolean;
}

export class ContactView {
  @ApiProperty({ description: 'Digits with country code.', example: '4915550002000' })
  phone: string;

  @ApiProperty({ description: 'Name, if it has one.', example: 'Ann', type: String, nullable: true })
  name: string | null;

  @ApiProperty({ description: 'Address by number.', example: '4915550002000@s.whatsapp.net' })
  jid: string;

  @ApiProperty({
    description: "The platform's other address of the same person.",
    example: '100551234567890@lid',
  })
  lid: string;

  @ApiProperty({ description: 'Whether the number is on the platform.', example: true })
  registered: boolean;

  @ApiProperty({ description: 'What it does on its own.', type: BehaviourView })
  behaviour: BehaviourView;
}

export class ContactList {
  @ApiProperty({ description: 'All contacts.', type: [ContactView] })
  items: ContactView[];
}

export class WriteMessage {
  @ApiProperty({ description: 'Phone of the account.', example: '4915550001000' })
  @IsPhone()
  to: string;

  @ApiPropertyOptional({
    description: 'Text of the message. Either this or `message`.',
    example: 'Are you open?',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 65_536)
  text?: string;

  @ApiPropertyOptional({
    description: 'Any message of the platform, as JSON of its protobuf; bytes in base64.',
    example: { locationMessage: { degreesLatitude: 52.52, degreesLongitude: 13.4 } },
    type: Object,
  })
  @MayBeAbsent()
  @IsObject()
  message?: Record<string, unknown>;
}

export class WrittenMessage {
  @ApiProperty({ description: 'Id on the wire.', example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' })
  id: string;
}

export class ReadCount {
  @ApiProperty({ description: 'How many messages were unread until now.', example: 2 })
  read: number;
}

export class ReceivedView {
  @ApiProperty({ description: 'Id on the wire.', example: '3EB0C431C26A1916E07A' })
  id: string;

  @ApiProperty({ description: 'Phone of the account that wrote it.', example: '4915550001000' })
  from: string;

  @ApiProperty({ description: 'Its words, if it has any.', example: 'Hello', type: String, nullable: true })
  text: string | null;

  @ApiProperty({
    description: 'The decrypted message, bytes in base64.',
    example: { extendedTextMessage: { text: 'Hello' } },
    type: Object,
  })
  message: unknown;

  @ApiProperty({ description: 'When it arrived.', example: '2026-01-05T09:30:00.000Z' })
  receivedAt: string;

  @ApiProperty({ description: 'How often the platform saw the same id again.', example: 0 })
  duplicates: number;
}

export class ReceivedList {
  @ApiProperty({ description: 'In order of arrival.', type: [ReceivedView] })
  items: ReceivedView[];
}

export class SentView {
  @ApiProperty({ description: 'Id on the wire.', example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' })
  id: string;

  @ApiProperty({ description: 'Phone of the account it was written to.', example: '4915550001000' })
  to: string;

  @ApiProperty({
    description: 'Its words, if it has any.',
    example: 'Are you open?',
    type: String,
    nullable: true,
  })
  text: string | null;

  @ApiProperty({
    description:
      'QUEUED: no device took it. SENT: on the wire. DELIVERED: a receipt came. READ: a read receipt came.',
    enum: SENT_STATUSES,
    example: 'DELIVERED',
  })
  status: SentStatus;

  @ApiProperty({ description: 'How often it was put on the wire.', example: 1 })
  deliveries: number;

  @ApiProperty({ description: 'How many receipts came back.', example: 1 })
  receipts: number;
}

export class SentList {
  @ApiProperty({ description: 'In order of writing.', type: [SentView] })
  items: SentView[];
}

export class MessagesSummary {
  @ApiProperty({ description: 'Messages that reached a contact.', example: 200 })
  received: number;

  @ApiProperty({ description: 'How often one of their ids was seen again.', example: 0 })
  duplicates: number;

  @ApiProperty({ description: 'Contacts that received at least one.', example: 20 })
  contacts: number;
}

export class Forgotten {
  @ApiProperty({ description: 'How many people the platform knew.', example: 21 })
  forgotten: number;
}
