import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsNotEmptyObject, IsObject, IsString, Length, Max, Min, ValidateIf } from 'class-validator';
import { WrittenContent } from './written-content.js';

/** A year: enough for every schedule there is, and far from where dates end. */
const MOST_SECONDS = 366 * 86_400;

/** Body of `POST /v1/sandbox/sessions/:id/messages`. */
export class WriteAsContactBody {
  @ApiProperty({
    description:
      'Phone number of the contact who writes, with its country code: any number but a magic one that is not on the platform.',
    example: '+4915112345678',
    minLength: 7,
    maxLength: 40,
  })
  @IsString()
  @Length(7, 40)
  from: string;

  @ApiPropertyOptional({
    description: 'Text of the message. Exactly one of this and `content`.',
    example: 'Are you open?',
    minLength: 1,
    maxLength: 65_536,
  })
  @ValidateIf(({ text, content }: WriteAsContactBody) => text !== undefined || content === undefined)
  @IsString()
  @Length(1, 65_536)
  text?: string;

  @ApiPropertyOptional({
    description: 'A message of any kind.',
    type: WrittenContent,
    minProperties: 1,
    example: { type: 'image', caption: 'The receipt', media: { size: 100000 } },
  })
  @ValidateIf(({ content }: WriteAsContactBody) => content !== undefined)
  @IsObject()
  @IsNotEmptyObject()
  content?: WrittenContent;
}

/** A message that a contact wrote. */
export class WrittenAsContact {
  @ApiProperty({
    description: 'The id of the platform: `keyId` of `message.received`.',
    example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50',
  })
  keyId: string;
}

/** A message as it arrived on a contact's phone. */
export class ContactMessage {
  @ApiProperty({ description: 'The id of the platform.', example: '3EB0C431C26A1916E07A' })
  keyId: string;

  @ApiProperty({ description: 'Its words, if it has any.', type: String, nullable: true, example: 'Hello' })
  text: string | null;

  @ApiProperty({
    description: 'What it holds, in the words of `body` of `message.received`.',
    type: 'object',
    additionalProperties: true,
    example: { type: 'text', text: 'Hello' },
  })
  content: Record<string, unknown>;

  @ApiProperty({ description: 'When it arrived (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  receivedAt: string;
}

/** Number of messages that a contact has read. */
export class ReadByContact {
  @ApiProperty({
    description: 'Messages that were unread until now.',
    example: 1,
    type: 'integer',
    minimum: 0,
  })
  read: number;
}

/** A recipient with whom a send always ends in the same way. */
export class MagicNumber {
  @ApiProperty({ description: 'Phone number.', example: '+15550100002' })
  phone: string;

  @ApiProperty({ description: 'What becomes of a message to it.', example: 'SENT, DELIVERED, READ' })
  outcome: string;
}

/** Body of `POST /v1/sandbox/clock`. */
export class AdvanceClockBody {
  @ApiProperty({
    description: 'How far the clock goes forward, in seconds; it never goes back.',
    type: 'integer',
    example: 86400,
    minimum: 1,
    maximum: MOST_SECONDS,
  })
  @IsInt()
  @Min(1)
  @Max(MOST_SECONDS)
  advanceSeconds: number;
}

/** The clock of a sandbox. */
export class SandboxClock {
  @ApiProperty({ description: 'Its time (ISO 8601, UTC).', example: '2026-02-01T12:00:00.000Z' })
  now: string;

  @ApiProperty({
    description: 'How far it is ahead, in seconds.',
    type: 'integer',
    example: 86400,
    minimum: 0,
  })
  aheadSeconds: number;
}
