import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { SendMessageV1 } from '../../commands/send-message.js';
import { defineRequest } from '../../contract.js';
import { FAILURE_CODES, type FailureCode, MESSAGE_STATUSES, type MessageStatus } from '../../enums.js';
import { MessageFailure } from '../../events/message-events.js';

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
