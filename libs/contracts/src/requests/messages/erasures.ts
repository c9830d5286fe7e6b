import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';

/** What an erasure has erased so far, by what it was. */
export class ErasureCounts {
  @ApiProperty({
    description: 'Messages with the contact, and of the contact in groups.',
    type: 'integer',
    example: 3,
  })
  messages: number;

  @ApiProperty({
    description: 'Messages of others in groups that quoted or named the contact: they stay, without that.',
    type: 'integer',
    example: 3,
  })
  quotes: number;

  @ApiProperty({ description: 'Conversations with the contact.', type: 'integer', example: 3 })
  conversations: number;

  @ApiProperty({
    description: 'clientMessageIds of messages to the contact: one that is used again sends again.',
    type: 'integer',
    example: 3,
  })
  idempotencyKeys: number;

  @ApiProperty({ description: 'Files of the contact in the media store.', type: 'integer', example: 3 })
  files: number;

  @ApiProperty({
    description: 'Texts of the contact in the journal of the session workers.',
    type: 'integer',
    example: 3,
  })
  journal: number;

  @ApiProperty({
    description:
      'Messages to the contact in the ledger of the session workers; what had not gone out does not.',
    type: 'integer',
    example: 3,
  })
  sends: number;

  @ApiProperty({
    description: 'Events that name the contact, also those that were still on their way.',
    type: 'integer',
    example: 3,
  })
  events: number;

  @ApiProperty({ description: 'Deliveries of them that were due, or held.', type: 'integer', example: 3 })
  deliveries: number;

  @ApiProperty({ description: 'Attempts made for them.', type: 'integer', example: 3 })
  attempts: number;

  @ApiProperty({
    description: 'Dead letters of them, and messages that no service could process.',
    type: 'integer',
    example: 3,
  })
  deadLetters: number;
}

/** Receipt of the erasure of a contact. It says nothing of who that was. */
export class Erasure {
  @ApiProperty({ description: 'Erasure id.', format: 'uuid' })
  id: string;

  @ApiProperty({
    description: 'RUNNING: what is counted is gone, more may follow. DONE: nothing is left.',
    enum: ['RUNNING', 'DONE'],
    example: 'DONE',
  })
  status: 'RUNNING' | 'DONE';

  @ApiProperty({
    description: 'When it was asked for (ISO 8601, UTC): what the contact wrote until then is erased.',
    example: '2026-01-31T12:00:00.000Z',
  })
  requestedAt: string;

  @ApiProperty({
    description: 'When it was done (ISO 8601, UTC).',
    type: String,
    nullable: true,
    example: '2026-01-31T12:00:01.000Z',
  })
  finishedAt: string | null;

  @ApiProperty({ description: 'How much of what.', type: ErasureCounts })
  erased: ErasureCounts;
}

/** Where the platform and the worker know a message of the gateway. */
export class MessagePlace {
  @IsUUID() messageId: string;
  @IsUUID() sessionId: string;
  @IsString() keyId: string;
}

/** Request of `erase-contact`: may come again and again, until it is done. */
export class EraseContactV1 {
  @IsUUID() erasureId: string;
  @IsUUID() tenantId: string;
  /** Normalized address. */
  @IsString() contact: string;
  /** What the contact wrote from then on is none of it. */
  @IsISO8601() before: string;
  /** Nothing has been sent to the contact since `before`; what is sent from here on is none of it. Left out: still so. */
  @IsOptional() @IsISO8601() until?: string;
  /** Messages of the contact, some of which the worker may know under another address. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(500)
  @ValidateNested({ each: true })
  @Type(() => MessagePlace)
  messages?: MessagePlace[];
}

/** What a session worker has erased for this erasure, in all. */
export class ErasedInSessions {
  @IsInt() journal: number;
  @IsInt() sends: number;
  @IsInt() files: number;
  @IsInt() events: number;
}

/** What the dispatcher has erased for this erasure, in all. */
export class ErasedInWebhooks {
  @IsInt() events: number;
  @IsInt() deliveries: number;
  @IsInt() attempts: number;
  @IsInt() deadLetters: number;
  /** Whether all events of the tenant were looked at. */
  @IsBoolean() done: boolean;
}

const VERB = 'erase-contact';
/** Erases what the session workers have of a contact. */
export const EraseInSessions = defineRequest('session-worker', VERB, EraseContactV1, ErasedInSessions);
/** Erases events, deliveries, attempts and dead letters that name a contact, piece by piece. */
export const EraseInWebhooks = defineRequest('webhook-dispatcher', VERB, EraseContactV1, ErasedInWebhooks);
