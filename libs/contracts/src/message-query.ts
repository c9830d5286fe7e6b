import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import { INSTANT } from './deliveries.js';
import { MESSAGE_STATUSES, type MessageStatus } from './enums.js';
import { PageQuery } from './page.js';

/** Query of `GET /v1/messages`: filters narrow each other. */
export class ListMessagesQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Only messages of this session.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsOptional()
  @IsUUID()
  sessionId?: string;

  @ApiPropertyOptional({
    description: 'Only messages to or from this contact: a phone number or a platform address.',
    example: '+4915112345678',
    minLength: 5,
    maxLength: 64,
  })
  @IsOptional()
  @IsString()
  @Length(5, 64)
  contact?: string;

  @ApiPropertyOptional({
    description: 'Only this direction.',
    enum: ['OUTBOUND', 'INBOUND'],
    example: 'INBOUND',
  })
  @IsOptional()
  @IsIn(['OUTBOUND', 'INBOUND'])
  direction?: 'OUTBOUND' | 'INBOUND';

  @ApiPropertyOptional({
    description: 'Only messages in this state.',
    enum: MESSAGE_STATUSES,
    example: 'FAILED',
  })
  @IsOptional()
  @IsIn(MESSAGE_STATUSES)
  status?: MessageStatus;

  @ApiPropertyOptional({
    description: 'Only messages whose createdAt is this time or later (ISO 8601 with a zone).',
    example: '2026-01-31T12:00:00Z',
    pattern: INSTANT.source,
  })
  @IsOptional()
  @Matches(INSTANT, { message: 'since must be a time with a zone, like 2026-01-31T12:00:00Z' })
  @IsISO8601({ strict: true })
  since?: string;

  @ApiPropertyOptional({
    description: 'Only messages whose createdAt is before this time (ISO 8601 with a zone).',
    example: '2026-02-01T12:00:00Z',
    pattern: INSTANT.source,
  })
  @IsOptional()
  @Matches(INSTANT, { message: 'until must be a time with a zone, like 2026-02-01T12:00:00Z' })
  @IsISO8601({ strict: true })
  until?: string;
}
