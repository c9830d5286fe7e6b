import { Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineRequest } from '../../contract.js';
import {
  CONVERSATION_OWNERS,
  type ConversationOwner,
  HANDOFF_REASONS,
  type HandoffReason,
} from '../../enums.js';
import { TenantRef } from '../refs.js';
import { SessionRef } from '../sessions/sessions.js';

/** Request of `set-conversation-owner`. */
export class SetConversationOwnerV1 extends SessionRef {
  /** Address of the chat. */
  @IsString() @Length(1, 200) chat: string;
  @IsIn(CONVERSATION_OWNERS) owner: ConversationOwner;
  /** Minutes after which it is the assistant's again; left out: never by itself. */
  @IsOptional() @IsInt() @Min(1) @Max(43_200) minutes?: number;
}

/** Reply of `set-conversation-owner`. */
export class ConversationOwnerReply {
  @IsIn(CONVERSATION_OWNERS) owner: ConversationOwner;
  @IsOptional() @IsIn(HANDOFF_REASONS) reason?: HandoffReason;
  /** Time at which it is the assistant's again; absent: never by itself. */
  @IsOptional() @IsISO8601() until?: string;
}

/** Hands a conversation to a person, or back to the assistant. */
export const SetConversationOwner = defineRequest(
  'assistant',
  'set-conversation-owner',
  SetConversationOwnerV1,
  ConversationOwnerReply,
);

/** Request of `list-handoffs`: conversations that a person has, those handed over last first. */
export class ListHandoffsV1 extends TenantRef {
  /** Number of rows, one more than a page holds: the gateway sees whether another page follows. */
  @IsInt() @Min(1) @Max(201) limit: number;
  /** `id` of the last item of the page before. */
  @IsOptional() @IsUUID() before?: string;
}

/** A conversation that a person has. */
export class ListedHandoff extends SessionRef {
  /** Names the handoff: ids are in the order of time. */
  @IsUUID() id: string;
  @IsString() chat: string;
  @IsIn(HANDOFF_REASONS) reason: HandoffReason;
  @IsISO8601() since: string;
  /** Time at which it is the assistant's again; absent: never by itself. */
  @IsOptional() @IsISO8601() until?: string;
}

/** Reply of `list-handoffs`. */
export class HandoffsReply {
  @IsArray() @ValidateNested({ each: true }) @Type(() => ListedHandoff) handoffs: ListedHandoff[];
}

/** Lists conversations that a person has. */
export const ListHandoffs = defineRequest('assistant', 'list-handoffs', ListHandoffsV1, HandoffsReply);
