import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { FAILURE_CODES, type FailureCode, MESSAGE_STATUSES, type MessageStatus } from '../../enums.js';
import { MessageFailure } from '../../events/message-events.js';
import { SendMessageV1 } from '../../http/messages/messages.js';

/** Answer of `POST /v1/messages/:jobId/cancel`. */
export class CanceledMessage {
  @ApiProperty({
    description: 'Always FAILED: it does not go out any more.',
    enum: ['FAILED'],
    example: 'FAILED',
  })
  status: 'FAILED';

  @ApiProperty({ description: 'Job id of the message.', format: 'uuid' })
  jobId: string;

  @ApiProperty({ description: 'Its code is CANCELED; message.failed tells the same.', type: MessageFailure })
  failure: MessageFailure;
}

/** Request of `end-message`. */
export class EndMessageV1 {
  @IsUUID() tenantId: string;
  /** As its command says it: the command may come later, or not at all. */
  @ValidateNested() @Type(() => SendMessageV1) message: SendMessageV1;
  @IsIn(FAILURE_CODES) code: FailureCode;
  @IsOptional() @IsString() detail?: string;
}

/** Reply of `end-message`: where the message stands now, whoever ended it. */
export class EndedMessage {
  @IsIn(MESSAGE_STATUSES) status: MessageStatus;
  @IsString() keyId: string;
  @IsOptional() @ValidateNested() @Type(() => MessageFailure) failure: MessageFailure | null;
}

/** Ends a message that has not begun to go out, for good; whether it had is decided by the row that is sent from. */
export const EndMessage = defineRequest('session-worker', 'end-message', EndMessageV1, EndedMessage);
