import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsUUID } from 'class-validator';
import { MessageView } from './messages.js';
import { PageQuery } from '../page.js';

/** Query of `GET /v1/conversations`. */
export class ListConversationsQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Only conversations of this session.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsOptional()
  @IsUUID()
  sessionId?: string;
}

/** Conversation between one session and one contact, or group. */
export class ConversationView {
  @ApiProperty({
    description:
      'Conversation id; the conversationId of its messages. The same for as long as session and chat exist.',
    format: 'uuid',
  })
  id: string;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({
    description: 'Address of the contact, or of the group.',
    example: '4915112345678@s.whatsapp.net',
  })
  contact: string;

  @ApiProperty({ description: 'Whether the chat is a group.', example: false })
  isGroup: boolean;

  @ApiProperty({
    description: 'Its newest message. Null for a moment, while a message is being erased.',
    type: MessageView,
    nullable: true,
  })
  lastMessage: MessageView | null;

  @ApiProperty({
    description: 'When its newest message was accepted or received (ISO 8601, UTC).',
    example: '2026-01-31T12:00:00.000Z',
  })
  lastMessageAt: string;
}
