import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, IsUUID, Length } from 'class-validator';
import { MESSAGE_STATUSES, type MessageStatus } from './enums.js';
import { PageQuery } from './page.js';

/** Query of `GET /v1/messages`: filters narrow each other. */
export class ListMessagesQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only messages of this session.', format: 'uuid' })
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

  @ApiPropertyOptional({ description: 'Only this direction.', enum: ['OUTBOUND', 'INBOUND'] })
  @IsOptional()
  @IsIn(['OUTBOUND', 'INBOUND'])
  direction?: 'OUTBOUND' | 'INBOUND';

  @ApiPropertyOptional({ description: 'Only messages in this state.', enum: MESSAGE_STATUSES })
  @IsOptional()
  @IsIn(MESSAGE_STATUSES)
  status?: MessageStatus;
}
