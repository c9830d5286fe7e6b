import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsOptional, IsString, IsUUID, MaxLength } from 'class-validator';
import { MOST_TEXT } from '../../content/kinds/text.js';
import { PageQuery } from '../page.js';

/** Query of `GET /v1/drafts`. */
export class ListDraftsQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Only drafts of this session.',
    format: 'uuid',
    example: '0198c0de-0000-7000-8000-000000000001',
  })
  @IsOptional()
  @IsUUID()
  sessionId?: string;
}

/** Body of `POST /v1/drafts/:id/edit`. */
export class EditDraftBody {
  @ApiProperty({
    description: 'Text that is sent in place of that of the draft.',
    example: 'We are open until six.',
    minLength: 1,
    maxLength: MOST_TEXT,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MOST_TEXT)
  text: string;
}

/** Draft: an answer that waits for a person to approve it. */
export class DraftView {
  @ApiProperty({ description: 'Id of the draft.', format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'Session.', format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'Conversation.', format: 'uuid' })
  conversationId: string;

  @ApiProperty({
    description: 'Address of the contact, or of the group.',
    example: '4915112345678@s.whatsapp.net',
  })
  contact: string;

  @ApiProperty({ description: 'Turn whose answer it is.', format: 'uuid' })
  turnId: string;

  @ApiProperty({
    description:
      'What would be sent. Where a call that approved it was cut off: the text of that call, until it is repeated.',
    example: 'We are open until six.',
  })
  text: string;

  @ApiProperty({
    description: 'Version of the settings that it was written by.',
    type: 'integer',
    example: 3,
  })
  version: number;

  @ApiProperty({ description: 'When it was written (ISO 8601, UTC).', example: '2026-01-31T12:00:00.000Z' })
  createdAt: string;

  @ApiProperty({
    description: 'When it is forgotten if nobody approves it (ISO 8601, UTC).',
    example: '2026-02-01T12:00:00.000Z',
  })
  expiresAt: string;
}

/** Answer of a route that approves a draft. */
export class SentDraft {
  @ApiProperty({ description: 'Id of the draft.', format: 'uuid' })
  @IsUUID()
  id: string;

  @ApiProperty({
    description: 'Job of its message: `GET /v1/messages/{jobId}` and events tell what becomes of it.',
    format: 'uuid',
  })
  @IsUUID()
  jobId: string;

  @ApiProperty({ description: 'What was sent.', example: 'We are open until six.' })
  @IsString()
  text: string;
}
