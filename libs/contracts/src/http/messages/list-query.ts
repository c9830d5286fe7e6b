import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Length } from 'class-validator';
import { MESSAGE_DIRECTIONS, type MessageDirection } from '../../content/message-names.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../enums.js';
import { TimeBound } from '../instant.js';
import { PageQuery } from '../page.js';

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
    enum: MESSAGE_DIRECTIONS,
    example: 'INBOUND',
  })
  @IsOptional()
  @IsIn(MESSAGE_DIRECTIONS)
  direction?: MessageDirection;

  @ApiPropertyOptional({
    description: 'Only messages in this state.',
    enum: MESSAGE_STATUSES,
    example: 'FAILED',
  })
  @IsOptional()
  @IsIn(MESSAGE_STATUSES)
  status?: MessageStatus;

  @TimeBound('Only messages whose createdAt is this time or later', '2026-01-31T12:00:00Z')
  since?: string;

  @TimeBound('Only messages whose createdAt is before this time', '2026-02-01T12:00:00Z')
  until?: string;
}
