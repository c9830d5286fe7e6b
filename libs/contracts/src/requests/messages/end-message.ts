import { Type } from 'class-transformer';
import { IsIn, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { SendMessageV1 } from '../../commands/send-message.js';
import { defineRequest } from '../../contract.js';
import { FAILURE_CODES, type FailureCode, MESSAGE_STATUSES } from '../../enums.js';
import { MessageFailure } from '../../events/outbound-message.js';

/** Request of `end-message`. */
export class EndMessageV1 {
  @IsUUID() tenantId: string;
  /** The data of its command, which may come later or not at all. */
  @ValidateNested() @Type(() => SendMessageV1) message: SendMessageV1;
  @IsIn(FAILURE_CODES) code: FailureCode;
  @IsOptional() @IsString() detail?: string;
}

/** Statuses of a row that a worker sends from: it also knows that a message is on its way at this moment. */
const SEND_STATUSES = [...MESSAGE_STATUSES, 'SENDING'] as const;

/** Reply of `end-message`: the status of the message from now on, whoever set it. */
export class EndedMessage {
  @IsIn(SEND_STATUSES) status: (typeof SEND_STATUSES)[number];
  @IsString() keyId: string;
  @IsOptional() @ValidateNested() @Type(() => MessageFailure) failure: MessageFailure | null;
}

/** Fails a message that is not being sent yet, for good; the row that the worker sends from decides whether it is. */
export const EndMessage = defineRequest('session-worker', 'end-message', EndMessageV1, EndedMessage);
