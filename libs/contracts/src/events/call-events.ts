import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsISO8601, IsOptional, IsString, IsUUID } from 'class-validator';
import { defineEvent } from '../contract.js';
import { ConversationIdField } from '../content/message-names.js';

/** States in which a call is told. */
export const CALL_STATES = ['RINGING', 'MISSED'] as const;
/** Value of `CALL_STATES`. */
export type CallState = (typeof CALL_STATES)[number];

/** Payload of `call.received`. */
export class CallReceivedV1 {
  @ApiProperty({ description: 'Session that is called.', format: 'uuid' })
  @IsUUID()
  sessionId: string;

  @ApiProperty({ description: "The platform's id of the call.", example: '8F3A0C5B7D1E42969F0B6A1C2D3E4F50' })
  @IsString()
  callId: string;

  @ApiProperty({
    description: 'Address of the chat, of the caller or of the group: answers go to it.',
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  chatId: string;

  @ApiProperty({
    description: "The caller's address; answers go to `chatId`.",
    example: '4915112345678@s.whatsapp.net',
  })
  @IsString()
  remoteJid: string;

  @ApiProperty({
    description: "The caller's phone number in E.164 form; null where the platform hides it.",
    type: String,
    nullable: true,
    example: '+4915112345678',
  })
  @IsOptional()
  @IsString()
  phone: string | null;

  @ApiProperty({ description: 'Whether it is a video call.', example: false })
  @IsBoolean()
  isVideo: boolean;

  @ApiProperty({ description: 'Whether a group is called.', example: false })
  @IsBoolean()
  isGroup: boolean;

  @ConversationIdField() conversationId?: string;

  @ApiProperty({
    description:
      'RINGING: it can be rejected now. MISSED: it came while the session was not connected, and is told afterwards.',
    enum: CALL_STATES,
    example: 'RINGING',
  })
  @IsIn(CALL_STATES)
  state: CallState;

  @ApiProperty({ description: 'When it came (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  @IsISO8601()
  timestamp: string;
}

/** A call came in. */
export const CallReceived = defineEvent('call.received', 1, CallReceivedV1, {
  public: true,
  summary:
    'Somebody calls the number, or called while it was away. Answers go to `chatId`. Only an endpoint that names this event gets it.',
  by: ['session-worker'],
  onlyNamed: true,
});
/** Events of calls, in the order of the description. */
export const CALL_EVENTS = [CallReceived] as const;
