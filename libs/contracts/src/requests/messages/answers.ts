import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import type { ErrorMeta } from '../../app-error.js';
import { MOST_TEXT } from '../../content/kinds/text.js';
import { MessageBody } from '../../content/message-body.js';
import { defineRequest } from '../../contract.js';
import { type Sender, SENDERS } from '../../enums.js';
import type { ErrorCode } from '../../errors/errors.js';
import { SessionRef } from '../sessions/sessions.js';

/** Senders of an answer: the assistant, or a member who has approved what it had drafted. */
const ANSWER_SENDERS = ['ASSISTANT', 'MEMBER'] as const satisfies readonly Sender[];

/** Request of `send-answer`: one text into the chat of a message. Idempotent by `jobId`. */
export class SendAnswerV1 extends SessionRef {
  /** Job of the answer; its text is fixed before it is asked for the first time, because a repeat finds the first one's. */
  @IsUUID() jobId: string;
  @IsString() @IsNotEmpty() @MaxLength(MOST_TEXT) text: string;
  /** Newest message of the chat that the answer takes into account: the answer goes there, unless somebody else has written since. */
  @IsUUID() after: string;
  @IsIn(ANSWER_SENDERS) sentBy: (typeof ANSWER_SENDERS)[number];
}

/** Outcomes of `send-answer`. */
const ANSWER_OUTCOMES = ['ACCEPTED', 'OVERTAKEN', 'REFUSED'] as const;

/** Reason for which an answer was refused, as `POST /v1/messages` would have it. */
export class AnswerRefusal {
  @IsString() code: ErrorCode;
  @IsString() message: string;
  @IsObject() meta: ErrorMeta;
}

/**
 * Reply of `send-answer`. ACCEPTED: there is a job, perhaps of an earlier try. OVERTAKEN: software, a member or the phone has written to the
 * chat since `after`, and nothing was sent. REFUSED: as a send would be at this moment; `MESSAGE_NOT_FOUND` where `after` is not known, or
 * not yet.
 */
export class AnswerReply {
  @IsIn(ANSWER_OUTCOMES) outcome: (typeof ANSWER_OUTCOMES)[number];
  @IsOptional() @ValidateNested() @Type(() => AnswerRefusal) refusal?: AnswerRefusal;
}

/** The largest number of messages of one `read-conversation`. */
export const CONVERSATION_MOST = 100;

/** Request of `read-conversation`. */
export class ReadConversationV1 extends SessionRef {
  /** Address of the chat, as `message.received` has it. */
  @IsString() @Length(5, 64) chat: string;
  /** Only what is older than this message. */
  @IsOptional() @IsUUID() before?: string;
  @IsInt() @Min(1) @Max(CONVERSATION_MOST) limit: number;
  /** Only what is not older than so many seconds. */
  @IsOptional() @IsInt() @Min(1) maxAgeSeconds?: number;
}

/** One message as its reader would see it now: with the words of its last edit. */
export class ConversationMessage {
  @IsUUID() messageId: string;
  @IsBoolean() fromMe: boolean;
  /** Sender of what went out through us; null of what a contact or the owner of the phone wrote. */
  @IsOptional() @IsIn(SENDERS) sentBy: Sender | null;
  @IsISO8601() createdAt: string;
  @ValidateNested() @Type(() => MessageBody) body: MessageBody;
}

/** Reply of `read-conversation`, newest first. Fewer than `limit` does not mean the end: what says nothing to a reader is left out. */
export class ConversationReply {
  /** The contact has opted out: an answer would be refused. */
  @IsOptional() @IsBoolean() optedOut?: boolean;
  /** The tenant is suspended: nothing is read, and an answer would be refused. */
  @IsOptional() @IsBoolean() suspended?: boolean;
  @IsArray() @ValidateNested({ each: true }) @Type(() => ConversationMessage) messages: ConversationMessage[];
}

/** Sends an answer, unless somebody else has written to the chat meanwhile. */
export const SendAnswer = defineRequest('api-gateway', 'send-answer', SendAnswerV1, AnswerReply);
/** Reads what was said in a chat last. */
export const ReadConversation = defineRequest(
  'api-gateway',
  'read-conversation',
  ReadConversationV1,
  ConversationReply,
);
