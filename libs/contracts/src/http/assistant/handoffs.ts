import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import {
  CONVERSATION_OWNERS,
  type ConversationOwner,
  HANDOFF_REASON_WORDS,
  HANDOFF_REASONS,
  type HandoffReason,
} from '../../enums.js';
import { MayBeAbsent } from '../may-be-absent.js';

const UNTIL = "When it is the assistant's again by itself (ISO 8601, UTC); null: never.";

/** Body of `POST /v1/conversations/:id/handoff`. */
export class HandoffBody {
  @ApiPropertyOptional({
    description:
      "Minutes after which the conversation is the assistant's again. Left out: when it is resumed.",
    type: 'integer',
    example: 60,
    minimum: 1,
    maximum: 43_200,
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(43_200)
  minutes?: number;
}

/** Says who answers a conversation of a session whose assistant is on. */
export class ConversationOwnerView {
  @ApiProperty({ description: 'Conversation.', format: 'uuid' })
  conversationId: string;

  @ApiProperty({
    description: 'ASSISTANT: it is answered. HUMAN: it is left to a person.',
    enum: CONVERSATION_OWNERS,
    example: 'HUMAN',
  })
  owner: ConversationOwner;

  @ApiProperty({
    description: `Why a person has it; null: the assistant does. ${HANDOFF_REASON_WORDS}`,
    enum: HANDOFF_REASONS,
    type: String,
    nullable: true,
    example: 'REQUESTED',
  })
  reason: HandoffReason | null;

  @ApiProperty({ description: UNTIL, type: String, nullable: true, example: '2026-01-31T13:00:00.000Z' })
  until: string | null;
}

/** A conversation that a person has. */
export class HandoffView {
  @ApiProperty({ description: 'Conversation.', format: 'uuid' })
  conversationId: string;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description: 'Address of the contact, or of the group.',
    example: '4915112345678@s.whatsapp.net',
  })
  contact: string;

  @ApiProperty({ description: HANDOFF_REASON_WORDS, enum: HANDOFF_REASONS, example: 'CONTACT_ASKED' })
  reason: HandoffReason;

  @ApiProperty({ description: 'Since when (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  since: string;

  @ApiProperty({ description: UNTIL, type: String, nullable: true, example: null })
  until: string | null;
}
