import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsISO8601, IsOptional, IsString, IsUUID, Min } from 'class-validator';
import { defineEvent } from '../contract.js';
import {
  ASSISTANT_MODES,
  type AssistantMode,
  CONVERSATION_OWNERS,
  type ConversationOwner,
  HANDOFF_REASON_WORDS,
  HANDOFF_REASONS,
  type HandoffReason,
} from '../enums.js';

/** Data of `assistant.published`: internal, for whoever shows who answers a session. */
export class AssistantPublishedV1 {
  @IsUUID() sessionId: string;
  /** Version of the settings that holds. */
  @IsInt() @Min(1) version: number;
  @IsIn(ASSISTANT_MODES) mode: AssistantMode;
  /** Number of publications of the session until now: of two events the one with the higher number is the newer one. */
  @IsInt() @Min(1) publication: number;
  @IsISO8601() timestamp: string;
}

/** Payload of `conversation.handoff`. */
export class ConversationHandoffV1 {
  @ApiProperty({ description: 'The session.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({
    description:
      'Conversation of the session with the chat: `GET /v1/conversations/{id}/messages` lists its messages.',
    format: 'uuid',
  })
  @IsUUID()
  conversationId: string;

  @ApiProperty({
    description: 'Address of the chat: answers go to it.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  chatId: string;

  @ApiProperty({
    description:
      'Who answers from now on. HUMAN: a person, and the assistant says nothing. ASSISTANT: the assistant again.',
    enum: CONVERSATION_OWNERS,
    example: 'HUMAN',
  })
  @IsIn(CONVERSATION_OWNERS)
  owner: ConversationOwner;

  @ApiProperty({
    description: `Why. ${HANDOFF_REASON_WORDS}`,
    enum: HANDOFF_REASONS,
    example: 'CONTACT_ASKED',
  })
  @IsIn(HANDOFF_REASONS)
  reason: HandoffReason;

  @ApiPropertyOptional({
    description:
      "When it is the assistant's again by itself, of which no other event tells (ISO 8601, UTC). Absent: never.",
    example: '2026-01-31T13:00:00.000Z',
  })
  @IsOptional()
  @IsISO8601()
  until?: string;

  @ApiProperty({ description: 'When it happened (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** Other settings hold for the assistant of a session. */
export const AssistantPublished = defineEvent('assistant.published', 1, AssistantPublishedV1, {
  public: false,
  summary: 'Other settings hold for the assistant of the session: they say whether it answers.',
  by: ['assistant'],
});

/** A conversation was handed to a person, or back to the assistant. */
export const ConversationHandoff = defineEvent('conversation.handoff', 1, ConversationHandoffV1, {
  public: true,
  summary:
    'A conversation was handed to a person, or back to the assistant; carries the reason. Only an endpoint that names this event gets it.',
  by: ['assistant'],
  onlyNamed: true,
});

/** Events of assistants, in the order of the description. */
export const ASSISTANT_EVENTS = [AssistantPublished, ConversationHandoff] as const;
