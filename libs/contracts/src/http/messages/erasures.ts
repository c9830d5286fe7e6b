import { ApiProperty } from '@nestjs/swagger';

/** Counts of what an erasure has erased so far. */
export class ErasureCounts {
  @ApiProperty({
    description: 'Messages with the contact, and of the contact in groups.',
    type: 'integer',
    example: 3,
  })
  messages: number;

  @ApiProperty({
    description:
      'Messages of others in groups that quoted or named the contact, and messages to others with a card of the contact: they stay, without that.',
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

  @ApiProperty({
    description: 'Messages of the contact that the assistant answered together, or did not answer.',
    type: 'integer',
    example: 3,
  })
  turns: number;
}

/** Receipt of the erasure of a contact. It does not name the contact. */
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
