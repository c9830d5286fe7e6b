import { IsIn, IsInt, IsISO8601, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { defineRequest } from '../../contract.js';
import { SessionRef } from '../sessions/sessions.js';

/** Owners of a conversation: who answers it. */
export const CONVERSATION_OWNERS = ['ASSISTANT', 'HUMAN'] as const;
/** Value of `CONVERSATION_OWNERS`. */
export type ConversationOwner = (typeof CONVERSATION_OWNERS)[number];

/** Reasons for which a conversation is a person's. */
export const HANDOFF_REASONS = [
  'HUMAN_WROTE', // a person wrote in it, on the phone or by API
  'CONTACT_ASKED', // the contact wrote one of the words of the settings
  'MODEL_ASKED', // the model handed it over
  'PROVIDER_FAILED', // each model failed
  'LOOP', // contact and assistant answered each other again and again, as two machines do
  'REQUESTED', // a caller of the API asked for it
] as const;
/** Value of `HANDOFF_REASONS`. */
export type HandoffReason = (typeof HANDOFF_REASONS)[number];

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
